"""The package `agents.ann`."""
