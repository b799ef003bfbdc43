"""Types of `shop.returns`."""
