"""Types of `notes`."""
