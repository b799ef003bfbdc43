"""Serving: the tools of a run, offered to other programs over MCP. Needs the extra `mcp`.

The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.extras import MissingExtra

try:
    import mcp as _mcp
except ImportError:
    raise MissingExtra("serving tools by MCP needs its SDK", "mcp") from None

if TYPE_CHECKING:
    from toolgen.serve.calls import CannotAsk as CannotAsk
    from toolgen.serve.calls import ask_client as ask_client
    from toolgen.serve.calls import ask_person as ask_person
    from toolgen.serve.http import HttpSettings as HttpSettings
    from toolgen.serve.server import ToolServer as ToolServer
    from toolgen.serve.server import mcp_server as mcp_server
    from toolgen.serve.tokens import Tokens as Tokens
    from toolgen.serve.tokens import TokensError as TokensError
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ToolServer": ".server",
            "mcp_server": ".server",
            "HttpSettings": ".http",
            "Tokens": ".tokens",
            "TokensError": ".tokens",
            "CannotAsk": ".calls",
            "ask_client": ".calls",
            "ask_person": ".calls",
        },
    )

del _mcp
