"""The package `team`."""
