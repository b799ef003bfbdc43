"""MCP: toolsets of kind `mcp`, run on their servers over the official SDK. Needs the extra `mcp`."""

from toolgen.contract.extras import MissingExtra

try:
    from toolgen.execute.mcp.executor import McpExecutor, mcp_executor
    from toolgen.execute.mcp.server import McpHost, McpServer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
        raise
    raise MissingExtra("toolsets of kind mcp need the SDK of MCP", "mcp") from error

__all__ = ["McpExecutor", "McpHost", "McpServer", "mcp_executor"]
