"""Types of `choices`."""
