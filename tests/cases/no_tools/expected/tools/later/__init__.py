"""The package `tools.later`."""
