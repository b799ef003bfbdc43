"""Types of `addresses`."""
