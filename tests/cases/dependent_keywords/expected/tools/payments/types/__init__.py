"""Types of `payments`."""
