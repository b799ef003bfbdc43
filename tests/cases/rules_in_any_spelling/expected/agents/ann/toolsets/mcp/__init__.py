"""The package `agents.ann.toolsets.mcp`."""
