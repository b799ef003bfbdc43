"""The names of built-in toolsets, which are reserved."""

from __future__ import annotations

from typing import Final

BUILTIN_TOOLSETS: Final = ("actions", "agent", "code", "internal")
"""Sorted."""
