"""Types of `code`."""
