"""Spec text in messages: line offsets, and how values are named."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return the offset of each line start. LF, CR LF and CR end a line, as in YAML 1.2."""
    return [0, *(match.end() for match in _LINE_BREAK.finditer(text))]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, as `line_starts` counts them: without an empty last one."""
    return [text[start:end] for start, end in pairwise([*line_starts(text), len(text)]) if start < end]


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
