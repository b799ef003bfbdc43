"""The names of built-in toolsets, which are reserved."""

from __future__ import annotations

from typing import Final

BUILTIN_TOOLSETS: Final = ("actions", "agent", "code", "internal")
"""Sorted."""

LIST: Final = "list_actions"
DESCRIBE: Final = "describe_action"
SEARCH: Final = "search_actions"
SEARCH_TOOLS: Final = "search_tools"

DISCOVERY: Final = frozenset(f"actions.{name}" for name in (LIST, DESCRIBE, SEARCH, SEARCH_TOOLS))
"""The idents of the tools of `actions`, which tell a model what other tools there are.

Every run may call them; no model is shown them as tools like any other.
"""
