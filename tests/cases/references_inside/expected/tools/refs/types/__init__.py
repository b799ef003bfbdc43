"""Types of `refs`."""
