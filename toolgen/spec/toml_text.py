"""TOML text of any origin, read in linear time."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

_MOST_PARTS: Final = 50
"""Parts of a key or of the name of a table, `a.b.c`: `tomllib` takes quadratic time for them."""

_TOKEN: Final = re.compile(
    r"""(?P<quote>\"{3}|'{3}|["'])|(?P<word>[\w-]++)|(?P<dot>\.)|(?P<blank>[ \t]++)|\#[^\n]*+|[^"'\w.\ \t\#-]++"""
)
_ENDS: Final[Mapping[str, re.Pattern[str]]] = {
    '"': re.compile(r'\\.|["\n]', re.DOTALL),
    "'": re.compile(r"['\n]"),
    '"""': re.compile(r'\\.|"{3,5}', re.DOTALL),
    "'''": re.compile(r"'{3,5}"),
}
"""What a string ends with, by what it starts with, and escapes."""


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises tomllib.TOMLDecodeError, also for a key of more than 50 parts, and RecursionError for values that are nested
    too deeply.
    """
    at = start = parts = 0
    goes_on = False
    while token := _TOKEN.match(text, at):
        kind, at = token.lastgroup, token.end()
        if kind in ("word", "quote"):
            at = _end(text, at, token[0]) if kind == "quote" else at
            start, parts = (start, parts + 1) if goes_on else (token.start(), 1)
            goes_on = False
        elif kind == "dot":
            goes_on = parts > 0
        elif kind != "blank":
            goes_on, parts = False, 0
        if parts > _MOST_PARTS:
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            problem = f"A key has more than {_MOST_PARTS} parts, which dots divide: nest less, or quote the dots"
            raise tomllib.TOMLDecodeError(f"{problem} (at line {line}, column {column})")
    return tomllib.loads(text)


def _end(text: str, at: int, quote: str) -> int:
    """Return where a string ends whose text starts at a place."""
    for found in _ENDS[quote].finditer(text, at):
        if not found[0].startswith("\\"):
            return found.end()
    return len(text)
