"""The package `shared`."""
