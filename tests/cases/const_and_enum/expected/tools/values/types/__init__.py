"""Types of `values`."""
