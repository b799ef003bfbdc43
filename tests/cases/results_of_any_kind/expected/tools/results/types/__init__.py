"""Types of `results`."""
