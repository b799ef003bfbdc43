"""TOML text of any origin, read in linear time."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

_MOST_PARTS: Final = 50
"""Parts of a key or of the name of a table, `a.b.c`: `tomllib` takes quadratic time for them."""

_PART: Final = r"""(?:[\w-]++|"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?)"""
_TOKEN: Final = re.compile(
    rf"""
    \#[^\n]*+
    | \"""(?:[^"\\]++|\\.|"(?!""))*+(?:\"""|\Z)
    | '''(?:[^']++|'(?!''))*+(?:'''|\Z)
    | (?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+)
    | [^\#"'\w-]++
    """,
    re.VERBOSE | re.DOTALL,
)
_PARTS: Final = re.compile(_PART, re.DOTALL)


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises tomllib.TOMLDecodeError, also for a key of more than 50 parts, and RecursionError for values that are nested
    too deeply.
    """
    for token in _TOKEN.finditer(text):
        key = token["key"]
        if key and key.count(".") >= _MOST_PARTS and len(_PARTS.findall(key)) > _MOST_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start())
            problem = f"A key has more than {_MOST_PARTS} parts, which dots divide: nest less, or quote the dots"
            raise tomllib.TOMLDecodeError(f"{problem} (at line {line}, column {column})")
    return tomllib.loads(text)
