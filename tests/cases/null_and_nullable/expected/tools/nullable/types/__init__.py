"""Types of `nullable`."""
