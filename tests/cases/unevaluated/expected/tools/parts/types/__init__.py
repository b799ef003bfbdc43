"""Types of `parts`."""
