"""Types of `later`."""
