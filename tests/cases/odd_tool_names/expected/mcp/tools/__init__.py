"""The package `mcp.tools`."""
