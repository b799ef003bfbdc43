"""Types of `mcp.local-files`."""
