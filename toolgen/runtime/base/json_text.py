"""Strict JSON: rejects what `json.loads` accepts beyond the standard.

Rejected are NaN and infinities (spelled out, or by overflow), invalid UTF-8, lone surrogates, a byte order mark, text
after the value, and nesting deeper than `MAX_DEPTH`. With duplicate keys the last one wins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json, to_json

from toolgen.schema.json_values import is_array, is_object

LONG_BYTES: Final = 32 * 1024
"""An answer of a peer with more bytes is parsed, and passed on to the end of its call, in threads.

So are the args of a failed call searched for secrets."""

MAX_DEPTH: Final = 200
"""Maximum nesting depth; code that recurses over parsed values relies on it."""

SHORT: Final = 2 * MAX_DEPTH
"""A text of at most this many characters cannot be nested deeper than `MAX_DEPTH`."""

_EXPONENTS: Final = bytes.maketrans(b"123456789+E", b"0000000000e")
_OVERFLOWING: Final = b"0" * 309

_NOT_FINITE: Final = "it holds NaN or an infinity, and JSON has neither"


class NotJson(ValueError):
    """The text or value is not JSON. The message gives the reason and the position, and quotes no content."""


def parse(text: bytes | str) -> Any:
    """Parse JSON text. Raises `NotJson`."""
    try:
        value = from_json(text.encode() if isinstance(text, str) else text, allow_inf_nan=False)
    except TypeError as error:  # it is no text
        raise NotJson(_reason(error)) from None
    except ValueError as error:
        raise NotJson(_NOT_FINITE if _is_json_but_for_words(text) else _reason(error)) from None
    problem = _problem_of(value) if needs_care(text) else None
    if problem is not None:
        raise NotJson(problem)
    return value


def needs_care(text: bytes | str) -> bool:
    """Whether a text may contain what pydantic's parser accepts and `parse` rejects: huge numbers, deep nesting.

    A cheap check with false positives.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    digits = data.translate(_EXPONENTS)
    if b"e0" in digits:
        return True
    return len(data) > MAX_DEPTH and (_OVERFLOWING in digits or data.count(b"[") + data.count(b"{") > MAX_DEPTH)


def may_be_infinite(text: bytes | str) -> bool:
    """Whether a text may contain NaN or an infinity, spelled out or by overflow. A cheap check with false positives."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return b"NaN" in data or b"Inf" in data or needs_care(data)


def parse_unique(text: bytes | str) -> Any:
    """Parse JSON text without duplicate keys, for text that another parser will read.

    Raises `NotJson`.
    """
    value = parse(text)
    json.loads(text, object_pairs_hook=_unique)
    return value


def json_bytes(value: Any) -> bytes:
    """Encode a Python value as compact JSON, keeping its order. Raises `NotJson`, also for deep or cyclic values."""
    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError as error:
        raise NotJson(_reason(error)) from None


def is_deeper(value: Any, most: int) -> bool:
    """Whether lists and objects of a value are nested more than so many levels deep."""
    deep = next(islice(_levels(value), most, None), ())
    return any(isinstance(item, dict | list) for item in deep)


def _problem_of(value: Any) -> str | None:
    for depth, level in enumerate(_levels(value)):
        if any(isinstance(item, float) and not isfinite(item) for item in level):
            return "it holds a number out of range"
        if depth == MAX_DEPTH and any(isinstance(item, dict | list) for item in level):
            return f"it is nested more than {MAX_DEPTH} levels deep"
    return None


def _levels(value: Any) -> Iterator[list[Any]]:
    """Yield what is nested as deep in a value, from the value itself on."""
    level: list[Any] = [value]
    while level:
        yield level
        level = [member for item in level for member in _members(item)]


def _is_json_but_for_words(text: bytes | str) -> bool:
    """Whether a text that is not JSON would be, if NaN and Infinity were numbers."""
    if not may_be_infinite(text):
        return False
    try:
        from_json(text.encode() if isinstance(text, str) else text, allow_inf_nan=True)
    except ValueError:
        return False
    return True


def _members(value: Any) -> Iterable[Any]:
    return value.values() if is_object(value) else value if is_array(value) else ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise NotJson("an object has the same key twice")
    return members


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("Error serializing to JSON: ").removeprefix("ValueError: ")
    return "it holds a lone surrogate" if "surrogate" in text else text
