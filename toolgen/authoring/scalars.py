"""Scalars, and values on one line, as YAML that every parser reads the same, with as few quotes as that allows.

In YAML and in JSON, what nobody can see is written as an escape; `with_escapes` decides what that is.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from toolgen.spec.text import escaped, visible, visible_json, with_escapes

_NEEDS_QUOTES: Final = re.compile(
    r"""\A [\s?:,\[\]{}\#&*!|>'"%@`]                      # what plain text may not start with
      | \A -(?:\s|\Z) | \A --- | \A \.\.\.                # a list item; where a document starts or ends
      | :(?:\s|\Z) | \s\# | \s\Z
      | \A (?: y|n|yes|no|on|off|true|false|null|~|=|<<
             | [-+]?\.(?:inf|nan)
             | [-+]?\.?[0-9][0-9a-fxo_.,:+\-tz\ ]*        # a number, date or time for some parsers
           )? \Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Text that a YAML 1.1 or 1.2 parser would not read back as text without quotes."""

_FLOW_INDICATORS: Final = frozenset(",[]{}?:")
"""Further characters that some parsers misread inside brackets."""


def inline_text(value: Any) -> str:
    """Write a JSON value as YAML on one line that is valid anywhere, also inside brackets.

    Raises TypeError for a value that is not JSON, ValueError for NaN, infinities and lone surrogates.
    """
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{key_text(key, in_flow=True)}: {inline_text(each)}" for key, each in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_text, value)) + "]"
    return scalar_text(value, in_flow=True)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Write a JSON value as JSON.

    Raises TypeError for a value that is not JSON, ValueError for NaN, infinities and lone surrogates.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    if half := _HALF.search(text):
        raise _not_utf_8(half[0])
    return visible_json(text)


def literal_lines(text: str, margin: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a `|` block, indented by `margin` columns, two more than what it is in."""
    size = 2 if text[0] in " \t\n" else ""
    chomping = "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f"|{size}{chomping}", [f"{' ' * margin}{line}" if line else "" for line in lines]


def scalar_text(value: Any, *, in_flow: bool) -> str:
    """Write a scalar or an empty collection."""
    match value:
        case str():
            return _one_line(value, in_flow=in_flow)
        case bool() | None | dict() | list():
            return json.dumps(value)
        case int():
            return str(value)
        case float() if math.isfinite(value):
            return _float(value)
        case float():
            raise ValueError(f"{value} is not a JSON number")
        case _:
            raise TypeError(f"{type(value).__name__} is not a JSON type")


def _float(value: float) -> str:
    """Add the point that YAML 1.1 requires before an exponent, and that Python omits in `1e-07`."""
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power}"


def key_text(key: object, *, in_flow: bool) -> str:
    """Write a key. Raises TypeError for one that is not text."""
    if not isinstance(key, str):
        raise TypeError(f"a key must be text, but {key!r} is not")
    return _one_line(key, in_flow=in_flow)


def _one_line(text: str, *, in_flow: bool) -> str:
    """Write text on one line: plain if every parser reads it back, else in the quotes that need fewer escapes."""
    if visible(text) == text:
        if not _NEEDS_QUOTES.search(text) and not (in_flow and not _FLOW_INDICATORS.isdisjoint(text)):
            return text
        if "'" not in text and ("\\" in text or '"' in text):
            return f"'{text}'"
    quoted = _QUOTED.sub(r"\\\g<0>", text)
    return f'"{with_escapes(quoted, _escape)}"'


_QUOTED: Final = re.compile(r'["\\]')
_HALF: Final = re.compile("[\ud800-\udfff]")


def _escape(char: str) -> str:
    if _HALF.match(char):
        raise _not_utf_8(char)
    return escaped(char)


def _not_utf_8(half: str) -> ValueError:
    return ValueError(f"half of a surrogate pair, U+{ord(half):04X}, cannot be written as UTF-8")


def is_literal(text: str) -> bool:
    """Whether text has several lines and can be written unchanged as a `|` block."""
    body = text.removesuffix("\n")
    return (
        "\n" in text
        and not body.endswith("\n")
        and bool(body.strip())
        and all(visible(line) == line for line in body.replace("\t", " ").split("\n"))
    )
