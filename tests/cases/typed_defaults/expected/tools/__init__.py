"""The package `tools`."""
