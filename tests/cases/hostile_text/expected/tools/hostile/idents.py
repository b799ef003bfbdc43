"""Idents of the tools of `hostile`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.tool import ToolArgs, ToolResult

TOOL: Final[Ident[ToolArgs, ToolResult]] = Ident("hostile.tool")
"""\"\"\"Ends early\"\"\" | and <b>goes</b> on\\ """

ALL: Final[tuple[Ident[Any, Any], ...]] = (TOOL,)
"""Every tool of this toolset."""
