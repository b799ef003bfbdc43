"""Types of `old`."""
