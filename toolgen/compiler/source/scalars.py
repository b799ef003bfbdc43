"""Scalars: which text is null, a boolean or a number in the YAML 1.2 core schema, and which numbers are rejected."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from toolgen.compiler.source.limits import MAX_DIGITS

if TYPE_CHECKING:
    from toolgen.compiler.source.nodes import Scalar

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_FIRST: Final = frozenset("+-.0123456789~nNtTfF")
_NUMBER: Final = re.compile(
    r"""(?: (?P<int>[-+]?[0-9]+)
          | (?P<octal>0o[0-7]+)
          | (?P<hex>0x[0-9a-fA-F]+)
          | (?P<float>[-+]? (?: \.[0-9]+ | [0-9]+(?:\.[0-9]*)? ) (?: [eE][-+]?[0-9]+ )?)
          | (?P<infinite>[-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN))
        )\Z""",
    re.VERBOSE,
)
_TOO_LARGE: Final = 10**MAX_DIGITS


class NumberRefused(ValueError):
    """A number that is not portable JSON. The message completes "this number is …"."""


def resolve_plain(text: str) -> Scalar:
    """Resolve a plain scalar: `no`, dates, `1_000` and `12:30` are text. Raises NumberRefused."""
    if text and text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.match(text)
    if match is None:
        return text
    match match.lastgroup:
        case "int":
            return to_int(text)
        case "octal":
            return to_int(text[2:], 8)
        case "hex":
            return to_int(text[2:], 16)
        case "float":
            return to_float(text)
        case _:
            raise NumberRefused("not finite")


def to_int(digits: str, base: int = 10) -> int:
    """Convert an integer. Raises NumberRefused above `MAX_DIGITS` digits."""
    if len(digits.lstrip("+-")) <= MAX_DIGITS:
        number = int(digits, base)
        if base == 10 or number < _TOO_LARGE:
            return number
    raise NumberRefused(f"over {MAX_DIGITS} digits long")


def to_float(text: str) -> float:
    """Convert a floating-point number. Raises NumberRefused where it overflows."""
    number = float(text)
    if math.isinf(number):
        raise NumberRefused("too large: the largest is about 1.8e308")
    return number
