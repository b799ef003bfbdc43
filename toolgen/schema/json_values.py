"""JSON values: their types, and parsing of text from models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite
from typing import Any, Final, NoReturn, TypeGuard

_KINDS: Final[Sequence[tuple[type | tuple[type, ...], str]]] = (
    (bool, "boolean"),  # before numbers: in Python, bool is an int
    ((int, float), "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""`json.dumps` makes an encoder for each text."""


_DIGITS: Final = 15
"""Digits of the largest number that is read of a text: Python refuses thousands of them, and takes long for many."""


def number_of(text: str) -> int | None:
    """Return the number that a text of digits is, such as an index; None for any other text, and for a larger one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def is_text(value: object) -> TypeGuard[str]:
    """Whether a JSON value is a string."""
    return isinstance(value, str)


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a JSON value is a number; in Python, a boolean is an int as well."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a Python value stands for an object: a host may give any mapping."""
    return isinstance(value, Mapping)


def is_sequence(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a Python value stands for an array: a host may give a tuple."""
    return isinstance(value, list | tuple)


def are_equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: `1` and `1.0` are, and `1` and `true` are not, as they are for Python."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(are_equal(value, other[name]) for name, value in one.items())
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(are_equal, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def kind_of(value: Any) -> str:
    """Return the JSON type of a value; an integer is a `number`."""
    return next((kind for types, kind in _KINDS if isinstance(value, types)), "null")


BOUNDS_OF_NUMBERS: Final = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}
"""The bounds of numbers, and pydantic's names for them."""


def whole_bound(name: str, bound: float) -> int:
    """Round a numeric bound to the equivalent integer bound; `name` is that of pydantic."""
    return ceil(bound) if name in ("ge", "lt") else floor(bound)


def compact_json(value: Any) -> str:
    """Encode JSON without spaces. Raises ValueError and TypeError for values that are not JSON."""
    return _COMPACT(value)


def has_more_parts(value: Any, most: int) -> bool:
    """Whether a JSON value has more than `most` values in it, itself among them; shared ones count each time."""
    waiting, count = [value], 1
    while waiting:
        each = waiting.pop()
        below: list[Any] = [*each.values()] if is_object(each) else each if is_array(each) else []
        count += len(below)
        if count > most:
            return True
        waiting += (part for part in below if isinstance(part, dict | list))
    return False


def canonical(value: Any) -> bytes:
    """Encode a JSON value as sorted, compact UTF-8.

    Equal values give equal bytes, and `canonical(json.loads(canonical(x))) == canonical(x)`.
    Keys are sorted by code point. Raises ValueError for NaN, infinities and lone surrogates.
    """
    return _CANONICAL(value).encode("utf-8")


def value_of(text: bytes | str) -> Any:
    """Parse JSON text. Raises ValueError, also for NaN and too large numbers, and RecursionError."""
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


def args_of(text: bytes | str) -> Any:
    """Parse JSON text of args as strictly as the runtime does, but for the depth.

    Raises ValueError, also for an object that has a key twice and for bytes that are not UTF-8, and RecursionError.
    """
    plain = text if isinstance(text, str) else text.decode()  # `json.loads` reads other encodings too
    return json.loads(plain, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        ((repeated, _),) = Counter(name for name, _ in members).most_common(1)
        raise ValueError(f"the key {repeated!a} is there twice")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("the number is too large")
    return number
