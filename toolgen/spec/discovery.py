"""Discovery: the tools of the built-in toolset `actions`, which tell a model what other tools there are."""

from __future__ import annotations

from typing import Final

LIST: Final = "list_actions"
DESCRIBE: Final = "describe_action"
SEARCH: Final = "search_actions"
SEARCH_TOOLS: Final = "search_tools"

DISCOVERY: Final = frozenset(f"actions.{name}" for name in (LIST, DESCRIBE, SEARCH, SEARCH_TOOLS))
"""Their idents. Every run may call them; no model is shown them as tools like any other."""
