"""Types of `router`."""
