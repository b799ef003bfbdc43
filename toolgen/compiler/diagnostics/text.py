"""Spec values in messages."""

from __future__ import annotations

from typing import Any


def shown(value: Any) -> str:
    """Describe a spec value in a message: the value if it is short, else its kind."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
