"""Types of `class.import`."""
