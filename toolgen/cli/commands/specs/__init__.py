"""Commands about specs: what makes them, checks them, and compiles them."""
