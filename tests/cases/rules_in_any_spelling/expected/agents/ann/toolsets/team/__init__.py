"""The package `agents.ann.toolsets.team`."""
