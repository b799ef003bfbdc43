"""Types of `defaults`."""
