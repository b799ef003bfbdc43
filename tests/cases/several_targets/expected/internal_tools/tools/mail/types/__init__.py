"""Types of `mail`."""
