"""Discovery: the tools of the built-in toolset `actions`, with which a model finds other tools."""

from __future__ import annotations

from typing import Final

LIST: Final = "list_actions"
DESCRIBE: Final = "describe_action"
SEARCH: Final = "search_actions"
SEARCH_TOOLS: Final = "search_tools"

DISCOVERY: Final = frozenset(f"actions.{name}" for name in (LIST, DESCRIBE, SEARCH, SEARCH_TOOLS))
"""Their idents. Every run may call them; they are not listed like other tools."""
