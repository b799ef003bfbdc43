"""Built-in toolsets: the names that come with toolgen, and that no registered tool takes."""

from __future__ import annotations

from typing import Final

BUILTIN_TOOLSETS: Final = ("actions", "agent", "code", "internal")
"""Sorted."""
