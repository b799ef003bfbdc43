"""Types of `trees`."""
