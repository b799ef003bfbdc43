"""Types of `mcp.assets`."""
