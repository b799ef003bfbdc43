"""JSON values: their types, and parsing of text from models."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS: Final[Sequence[tuple[type | tuple[type, ...], str]]] = (
    (bool, "boolean"),  # before numbers: in Python, bool is an int
    ((int, float), "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


def kind_of(value: Any) -> str:
    """Return the JSON type of a value; an integer is a `number`."""
    return next((kind for types, kind in _KINDS if isinstance(value, types)), "null")


def compact_json(value: Any) -> str:
    """Encode JSON without spaces. Raises ValueError and TypeError for values that are not JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def value_of(text: bytes | str) -> Any:
    """Parse JSON text. Raises ValueError, also for NaN and too large numbers, and RecursionError."""
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("the number is too large")
    return number
