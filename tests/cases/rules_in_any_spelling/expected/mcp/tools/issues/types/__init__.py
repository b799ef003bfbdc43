"""Types of `mcp.issues`."""
