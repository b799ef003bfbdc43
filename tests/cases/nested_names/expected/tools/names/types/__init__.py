"""Types of `names`."""
