"""Types of `actions`."""
