"""Types of `pages`."""
