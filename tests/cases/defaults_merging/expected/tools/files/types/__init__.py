"""Types of `files`."""
