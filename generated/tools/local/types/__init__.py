"""Types of `local`."""
