"""Types of `internal`."""
