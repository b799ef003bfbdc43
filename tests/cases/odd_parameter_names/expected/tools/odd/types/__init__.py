"""Types of `odd`."""
