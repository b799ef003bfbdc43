"""Types of `shared.types`."""
