"""MCP: lists of tools to specs of kind `mcp`, and recorded results to their result schemas."""
