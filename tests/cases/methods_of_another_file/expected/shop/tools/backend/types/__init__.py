"""Types of `shop.backend`."""
