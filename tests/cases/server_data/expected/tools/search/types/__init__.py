"""Types of `search`."""
