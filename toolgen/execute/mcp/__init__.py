"""MCP: toolsets of kind `mcp`, run on their servers over the official SDK. Needs `toolgen[mcp]`."""

from toolgen.execute.mcp.executor import McpExecutor, executor
from toolgen.execute.mcp.host import McpHost
from toolgen.execute.mcp.server import McpServer

__all__ = ["McpExecutor", "McpHost", "McpServer", "executor"]
