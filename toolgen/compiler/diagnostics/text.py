"""Spec text in messages: where its lines begin, and how a value of it is called."""

from __future__ import annotations

import re
from typing import Any, Final

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Give the offset at which each line begins. LF, CR LF and CR end a line, as in YAML 1.2; nothing else does."""
    return [0, *(match.end() for match in _LINE_BREAK.finditer(text))]


def shown(value: Any) -> str:
    """Say in a message what a value of a spec is: itself where it is short, else its kind."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
