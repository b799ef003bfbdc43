"""Types of `shop`."""
