"""OAuth: signing in to MCP servers by the SDK's flow, and the tokens that it leaves."""

from toolgen.execute.mcp.oauth.sign_in import sign_in, stored_auth
from toolgen.execute.mcp.oauth.store import LoginStore

__all__ = ["LoginStore", "sign_in", "stored_auth"]
