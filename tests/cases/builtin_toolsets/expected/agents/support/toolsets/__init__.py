"""The package `agents.support.toolsets`."""
