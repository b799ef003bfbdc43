"""Why a text is not JSON: what is wrong, where, and how it is mended.

Models send code fences, comments, words and quotes of Python, and texts that end too early. A text that is JSON but for
a value that JSON lacks is read as Python does, so that a pointer leads to that value.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import deque
from math import isfinite
from typing import Any, Final, TypeAlias

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import Place, pointer_to

_ALONE: Final = "send the JSON value alone, without text before it"
_NUMBER: Final = "write a number as JSON does, such as 0.5 or -1e3"
_WHOLE: Final = "write each character whole"
_PLAIN: Final = "send one valid JSON value"
_LITERAL: Final = "write true, false or null"
_RANGE: Final = "send a number between -1.79e308 and 1.79e308, or a text"

_AT: Final = re.compile(r" at line (\d+) column (\d+)$")
"""Where pydantic's parser stopped: lines, and bytes of that line, from 1."""

_HALF: Final = re.compile(r"[\ud800-\udfff]")
"""Half of a surrogate pair."""

_MISPLACED: Final = ("expected value", "key must be a string")

_INSTEAD: Final = (
    (re.compile(rb"(?:True|False|None|nil|undefined)\b"), _LITERAL),
    (re.compile(rb"//|/\*|#"), "remove the comments, which JSON does not have"),
    (re.compile(rb"['`]"), "write each text in double quotes, keys too"),
    (re.compile(rb"[+.]"), _NUMBER),
)
"""What models write in place of a value or a key, and the hint for it."""

_BY_REASON: Final = {
    "EOF": "the text ends too early: send all of it",
    "control character": r"in a text, write a line break as \n and a tab as \t",
    "expected `,`": r"put a comma between values; in a text, write a double quote as \"",
    "expected `:`": "put a colon between a key and its value",
    "expected ident": _LITERAL,
    "invalid escape": r"in a text, write a backslash as \\",
    "invalid number": _NUMBER,
    "key must be a string": "write each key in double quotes",
    "number out of range": _RANGE,
    "recursion limit": "nest it less deeply",
    "trailing characters": "send one JSON value, and nothing after it",
    "trailing comma": "remove the comma before the closing bracket",
}
"""The hint for each start of a reason of pydantic's parser."""


Problem: TypeAlias = tuple[str, str, str]
"""What is wrong, the pointer to it, which is empty where it is not one part of a value, and how it is mended."""


class _Word(str):
    """NaN or an infinity, as it is spelled in a text."""


def why_not_json(text: bytes | str, reason: str) -> Problem:
    """Return what is wrong with a text that pydantic's parser refused, for a reason in its words."""
    try:
        plain = text.decode() if isinstance(text, bytes) else text  # `json.loads` reads other encodings too
        found = _first(json.loads(plain, parse_constant=_Word, parse_int=str))
    except (ValueError, RecursionError):  # it is no JSON for Python either
        found = None
    if found is not None:
        return found
    if "surrogate" in reason:
        return "a lone surrogate", "", _WHOLE
    return reason, "", _hint(text if isinstance(text, bytes) else text.encode("utf-8", "replace"), reason)


def out_of_range(value: Any) -> Problem:
    """Return what is wrong with a parsed value that has a number beyond those of a double."""
    found = _first(value)
    assert found is not None
    return found


def _problem(value: Any) -> tuple[str, str] | None:
    """Return what is wrong with a value itself, and how it is mended."""
    if isinstance(value, _Word):
        return f"{value}, which JSON does not have", "send a number, null or a text"
    if isinstance(value, float) and not isfinite(value):
        return "a number out of range", _RANGE
    if isinstance(value, str) and _has_half(value):
        return "a lone surrogate", _WHOLE
    if is_object(value) and any(map(_has_half, value)):
        return "a key with a lone surrogate", _WHOLE
    return None


def _first(value: Any) -> Problem | None:
    """Return what is wrong with the first part of a value that has a problem, outer ones first."""
    waiting: deque[tuple[Place, Any]] = deque([(None, value)])
    while waiting:
        place, each = waiting.popleft()
        found = _problem(each)
        if found is not None:
            return found[0], pointer_to(place), found[1]
        parts = each.items() if is_object(each) else enumerate(each) if is_array(each) else ()
        waiting.extend(((place, step), part) for step, part in parts)
    return None


def _has_half(text: str) -> bool:
    return _HALF.search(text) is not None


def _hint(text: bytes, reason: str) -> str:
    start = text.lstrip()
    if not start:
        return _PLAIN
    if start.startswith((b"```", b"~~~")):
        return "send the JSON value alone, without a code fence around it"
    if start.startswith(BOM_UTF8):
        return "send it without a byte order mark"
    if not _is_utf_8(text):
        return "send UTF-8"
    offset = _offset(text, reason)
    hints = (hint for pattern, hint in _INSTEAD if reason.startswith(_MISPLACED) and pattern.match(text, offset))
    hint = next(hints, None) or next((hint for words, hint in _BY_REASON.items() if reason.startswith(words)), _PLAIN)
    return _ALONE if hint == _PLAIN and not text[:offset].strip() else hint


def _offset(text: bytes, reason: str) -> int:
    place = _AT.search(reason)
    if place is None:
        return 0
    line, column = int(place[1]), int(place[2])
    return len(text) - len(text.split(b"\n", line - 1)[-1]) + column - 1


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
