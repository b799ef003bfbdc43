"""The package `mcp`."""
