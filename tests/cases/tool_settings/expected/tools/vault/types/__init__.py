"""Types of `vault`."""
