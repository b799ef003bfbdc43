"""Types of `empty`."""
