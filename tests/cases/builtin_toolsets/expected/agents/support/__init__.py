"""The package `agents.support`."""
