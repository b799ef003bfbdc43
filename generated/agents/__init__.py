"""The package `agents`."""
