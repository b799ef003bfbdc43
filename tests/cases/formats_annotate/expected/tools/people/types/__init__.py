"""Types of `people`."""
