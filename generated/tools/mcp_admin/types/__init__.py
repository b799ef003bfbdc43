"""Types of `mcp_admin`."""
