"""Types of `mcp.github`."""
