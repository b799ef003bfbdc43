"""Types of `shop.cart`."""
