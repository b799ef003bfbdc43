"""Strict JSON: rejects what `json.loads` accepts beyond the standard.

Rejected are NaN and infinities (spelled out, or by overflow), invalid UTF-8, lone surrogates, a byte order mark, text
after the value, nesting deeper than `MAX_DEPTH`, and an object that has a key twice: parsers disagree on which counts.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json, to_json

from toolgen.contract.picklable import Picklable
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import Place, pointer_to, steps_of
from toolgen.spec.text import cut, visible

LONG_BYTES: Final = 32 * 1024
"""An answer of a peer with more bytes is parsed, and passed on to the end of its call, in threads.

So are the args of a failed call searched for secrets."""

MAX_DEPTH: Final = 200
"""Maximum nesting depth; code that recurses over parsed values relies on it."""

SHORT: Final = 2 * MAX_DEPTH
"""A text of at most this many characters cannot be nested deeper than `MAX_DEPTH`."""

_EXPONENTS: Final = bytes.maketrans(b"123456789+E", b"0000000000e")
_OVERFLOWING: Final = b"0" * 309

_SHOWN_KEY: Final = 60
_SHOWN_POINTER: Final = 200
"""Characters of a key, and of a pointer, that a message quotes at most."""


class NotJson(Picklable, ValueError):
    """The text or value is not JSON. The message gives the reason and the position, and quotes no value.

    `pointer` leads to what is wrong, and is empty where that is not one part of a value; `hint` is how it is mended.
    """

    def __init__(self, reason: str, pointer: str = "", hint: str = "") -> None:
        self.pointer = pointer
        self.hint = hint
        super().__init__(reason)

    @property
    def advice(self) -> str:
        """What is wrong, where, and how it is mended, for those who are told no pointer."""
        place = f" (at {visible(cut(self.pointer, _SHOWN_POINTER))})" if self.pointer else ""
        return f"{self}{place}: {self.hint}" if self.hint else f"{self}{place}"


class RepeatedKey(NotJson):
    """An object of a JSON text has a key twice. `pointer` leads to it."""

    def __init__(self, pointer: str) -> None:
        self.key = visible(cut(steps_of(pointer)[-1], _SHOWN_KEY))
        super().__init__(f"`{self.key}` is there twice", pointer, "send it once")


def parse(text: bytes | str, *, may_repeat: bool = True) -> Any:
    """Parse JSON text. Raises `NotJson`; `RepeatedKey` where an object has a key twice, which it may."""
    try:
        value = from_json(text.encode() if isinstance(text, str) else text, allow_inf_nan=False)
    except TypeError as error:  # it is no text
        raise NotJson(_reason(error)) from None
    except ValueError as error:
        from toolgen.runtime.base.json_advice import why_not_json  # nearly all texts are JSON

        raise NotJson(*why_not_json(text, _reason(error))) from None
    if needs_care(text):
        _check_bounds(value)
    if may_repeat:
        check_keys(text, value)
    return value


def members_of(value: Any) -> int:
    """Return how many members all objects of a JSON value have."""
    members = 0
    if is_object(value):
        members, value = len(value), value.values()
    elif not is_array(value):
        return 0
    for item in value:
        kind = item.__class__
        if kind is dict or kind is list:
            members += members_of(item)
    return members


def colons_of(value: Any) -> int:
    """Return how many colons the strings of a JSON value have, keys among them."""
    if isinstance(value, str):
        return value.count(":")
    if is_object(value):
        return sum(key.count(":") for key in value) + sum(map(colons_of, value.values()))
    return sum(map(colons_of, value)) if is_array(value) else 0


def check_keys(
    text: bytes | str,
    value: Any,
    members: Callable[[Any], int] = members_of,
    colons: Callable[[Any], int] = colons_of,
) -> None:
    """Raise `RepeatedKey` for JSON text with an object that has a key twice. `value` is what it was parsed to.

    Each key is followed by a colon. So a text repeats none whose colons are as many as the members of its value, or as
    these and the colons in strings. Only a text with colons elsewhere, such as in escapes, is read again.
    """
    found = text.count(":") if isinstance(text, str) else text.count(b":")
    given = members(value)
    if found == given:
        return
    has_escaped = "\\u003" in text if isinstance(text, str) else b"\\u003" in text
    if found == given + colons(value) and not has_escaped:
        return
    plain = text if isinstance(text, str) else text.decode()
    try:
        _read(plain, _refuse_repeated)
    except _Repeats:
        raise RepeatedKey(_first_repeated(_read(plain, _Members))) from None


def _read(text: str, hook: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    return json.loads(text, object_pairs_hook=hook, parse_int=str, parse_float=str)


class _Repeats(Exception):
    """An object has a key twice."""


class _Members(list[tuple[str, Any]]):
    """The members of an object as they are in a text."""


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise _Repeats


def _first_repeated(value: Any) -> str:
    """Return the pointer of the first key that an object has twice, outer objects first."""
    waiting: deque[tuple[Place, Any]] = deque([(None, value)])
    while waiting:
        place, each = waiting.popleft()
        items: list[Any] = each
        members: Iterable[tuple[str | int, Any]] = items if isinstance(items, _Members) else enumerate(items)
        seen: set[str | int] = set()
        for key, item in members:
            if key in seen:
                return pointer_to((place, key))
            seen.add(key)
            if is_array(item):
                waiting.append(((place, key), item))
    raise AssertionError("no key is there twice")


def needs_care(text: bytes | str) -> bool:
    """Whether a text may contain what pydantic's parser accepts and `parse` rejects: huge numbers, deep nesting.

    A cheap check with false positives.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    digits = data.translate(_EXPONENTS)
    if b"e0" in digits:
        return True
    return len(data) > MAX_DEPTH and (_OVERFLOWING in digits or data.count(b"[") + data.count(b"{") > MAX_DEPTH)


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


def _check_bounds(value: Any) -> None:
    for depth, level in enumerate(_levels(value)):
        if any(isinstance(item, float) and not isfinite(item) for item in level):
            from toolgen.runtime.base.json_advice import out_of_range

            raise NotJson(*out_of_range(value))
        if depth == MAX_DEPTH and any(isinstance(item, dict | list) for item in level):
            raise NotJson(f"more than {MAX_DEPTH} levels of nesting", "", "nest it less deeply")


def _levels(value: Any) -> Iterator[list[Any]]:
    """Yield what is nested as deep in a value, from the value itself on."""
    level: list[Any] = [value]
    while level:
        yield level
        level = [member for item in level for member in _members(item)]


def _members(value: Any) -> Iterable[Any]:
    return value.values() if is_object(value) else value if is_array(value) else ()


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("Error serializing to JSON: ").removeprefix("ValueError: ")
    return "it holds a lone surrogate" if "surrogate" in text else text
