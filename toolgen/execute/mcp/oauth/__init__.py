"""OAuth: signing in to MCP servers by the SDK's flow, and the tokens that it leaves."""
