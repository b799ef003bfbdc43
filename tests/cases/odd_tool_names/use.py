from __future__ import annotations

from cases.odd_tool_names.mcp.tools import odd_server

assert odd_server.CHAT_WITH == "mcp.odd-server.chat-with"
assert odd_server.new_get_user_info_call().name == "mcp.odd-server.get-user-info"
assert odd_server.CAMEL_CASE_TOOL == "mcp.odd-server.camelCaseTool"
assert odd_server.HTTP_SERVER2 == "mcp.odd-server.HTTPServer2"
