"""Types of `rules`."""
