"""Types of `forms`."""
