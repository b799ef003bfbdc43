"""Serving: the tools of a run, offered to other programs over MCP. Needs `toolgen[mcp]`."""

try:
    import mcp as _mcp
except ImportError:
    raise ImportError('serving tools by MCP needs its SDK: pip install "toolgen[mcp]"') from None

from toolgen.serve.asking import CannotAsk, ask_client, ask_person
from toolgen.serve.http import HttpSettings
from toolgen.serve.server import ToolServer, mcp_server

__all__ = ["CannotAsk", "HttpSettings", "ToolServer", "ask_client", "ask_person", "mcp_server"]

del _mcp
