"""Types of `mcp.later`."""
