"""Types of `one`."""
