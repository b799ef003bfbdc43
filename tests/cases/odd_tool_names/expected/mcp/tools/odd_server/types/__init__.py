"""Types of `mcp.odd-server`."""
