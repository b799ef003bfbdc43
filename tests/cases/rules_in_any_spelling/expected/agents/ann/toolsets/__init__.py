"""The package `agents.ann.toolsets`."""
