"""Types of `bot`."""
