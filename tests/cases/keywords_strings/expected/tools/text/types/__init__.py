"""Types of `text`."""
