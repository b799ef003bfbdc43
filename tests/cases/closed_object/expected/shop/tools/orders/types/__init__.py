"""Types of `shop.orders`."""
