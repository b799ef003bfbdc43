"""Types of `mcp.events`."""
