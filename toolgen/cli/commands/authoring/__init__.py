"""Commands about specs: what checks, formats, compares and compiles them."""
