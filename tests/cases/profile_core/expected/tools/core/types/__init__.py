"""Types of `core`."""
