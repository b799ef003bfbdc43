"""The package `shared.tools`."""
