"""Types of `attributes`."""
