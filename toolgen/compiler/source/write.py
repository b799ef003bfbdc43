"""Plain data to readable YAML that every YAML parser reads the same."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable
from typing import Any, Final, TypeGuard

from toolgen.compiler.source.limits import MAX_DEPTH
from toolgen.spec.lines import lines_of
from toolgen.spec.visible import escaped, is_hidden, visible

WIDTH: Final = 120
"""Columns. A collection that fits goes on one line, in flow style; text is never folded."""

_STEP: Final = 2
"""Columns of indentation for each level."""

_FLOW_HEIGHT: Final = 3
"""Maximum nesting of collections on one line."""

_LONGEST_KEY: Final = 1000
"""Characters; a longer key is written after a `?`, because parsers look for its colon within 1,024 characters."""

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


def to_yaml(data: Any, *, comment: str = "", spaced: Collection[str] = ("tools",)) -> str:
    """Write a JSON value as YAML; `parse` and YAML 1.1 parsers read back an equal value.

    `comment` is written first, as comment lines. Mappings under the top-level keys in `spaced` have blank lines between
    their entries, and each entry is written in block style. Raises TypeError for a value that is not JSON, ValueError
    for NaN, infinities, lone surrogates, and more than `MAX_DEPTH` levels.
    """
    writer = _Writer()
    writer.comment(comment)
    writer.document(data, spaced)
    return "\n".join(writer.lines).rstrip("\n") + "\n"


def inline_text(value: Any) -> str:
    """Write a JSON value as YAML on one line that is valid anywhere, also inside brackets. Raises as `to_yaml`."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{key_text(key, in_flow=True)}: {inline_text(each)}" for key, each in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_text, value)) + "]"
    return scalar_text(value, in_flow=True)


class _Writer:
    """Collects lines. A `lead` is the text before a value on its first line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def comment(self, text: str) -> None:
        self.lines += [f"# {visible(line)}".rstrip() for line in lines_of(text)]

    def document(self, data: Any, spaced: Collection[str]) -> None:
        if _has_entries(data):
            for key, value in data.items():
                if key in spaced and _has_entries(value):
                    self._spaced(key, value)
                else:
                    self._entry(key, value, 0)
        elif _has_items(data):
            self._sequence(data, 0)
        else:
            self.lines.append(scalar_text(data, in_flow=False))

    def _spaced(self, key: str, entries: dict[str, Any]) -> None:
        """Write a top-level mapping with blank lines before, after and between its entries."""
        if self.lines and self.lines[-1]:
            self.lines.append("")
        self.lines.append(self._key(key, "", 0))
        for name, value in entries.items():
            self._entry(name, value, _STEP, in_block=True)
            self.lines.append("")

    def _mapping(self, entries: dict[str, Any], indent: int, lead: str | None = None) -> None:
        for key, value in entries.items():
            self._entry(key, value, indent, lead)
            lead = None

    def _entry(self, key: str, value: Any, indent: int, lead: str | None = None, *, in_block: bool = False) -> None:
        lead = self._key(key, " " * indent if lead is None else lead, indent)
        self._value(lead, value, indent, in_block=in_block)

    def _key(self, key: str, lead: str, indent: int) -> str:
        """Write a key, and return the lead of its value. A long key is written on its own line."""
        text = key_text(key, in_flow=False)
        if len(text) <= _LONGEST_KEY:
            return f"{lead}{text}:"
        self.lines.append(f"{lead}? {text}")
        return " " * indent + ":"

    def _sequence(self, items: list[Any], indent: int, lead: str | None = None) -> None:
        for item in items:
            self._value(f"{' ' * indent if lead is None else lead}-", item, indent)
            lead = None

    def _value(self, lead: str, value: Any, indent: int, *, in_block: bool = False) -> None:
        """Write a value after `lead`, or below it; `indent` is that of the enclosing collection.

        With `in_block`, a non-empty collection is written below, even if it would fit.
        """
        levels = MAX_DEPTH - 1 - indent // _STEP
        inline = _inline(value, 0 if in_block else WIDTH - len(lead) - 1, min(levels, _FLOW_HEIGHT))
        if inline is not None:
            self.lines.append(f"{lead} {inline}")
            return
        if isinstance(value, str):
            self._literal(lead, value, indent)
            return
        if not levels:
            raise ValueError(f"the value is nested more than {MAX_DEPTH} levels deep")
        first: str | None = None
        if lead.endswith("-"):
            first = f"{lead} "
        else:
            self.lines.append(lead)
        if _has_entries(value):
            self._mapping(value, indent + _STEP, first)
        else:
            self._sequence(value, indent + _STEP, first)

    def _literal(self, lead: str, text: str, indent: int) -> None:
        header, lines = literal_lines(text, indent + _STEP)
        self.lines += [f"{lead} {header}", *lines]


def literal_lines(text: str, margin: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a `|` block, indented by `margin` columns, two more than what it is in."""
    size = _STEP if text[0] in " \t\n" else ""
    chomping = "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f"|{size}{chomping}", [f"{' ' * margin}{line}" if line else "" for line in lines]


def _has_entries(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and value != {}


def _has_items(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and value != []


def _inline(value: Any, room: int, height: int) -> str | None:
    """Write a value on one line: a scalar of any length, or a collection that fits."""
    if isinstance(value, str) and is_literal(value):
        return None
    if _has_entries(value) or _has_items(value):
        return _flow(value, room, height)
    return scalar_text(value, in_flow=False)


def _flow(value: Any, room: int, height: int) -> str | None:
    """Write a value in flow style within `room` columns and `height` levels, or return None.

    A mapping holds at most one other: the properties of a schema go on a line each.
    """
    if isinstance(value, str) and ("\n" in value or len(value) > room):
        return None
    if _has_entries(value):
        if height == 0 or sum(map(_has_entries, value.values())) > 1:
            return None
        leads = (f"{key_text(key, in_flow=True)}: " for key in value)
        return _joined("{}", zip(leads, value.values(), strict=True), room, height)
    if _has_items(value):
        return None if height == 0 else _joined("[]", (("", item) for item in value), room, height)
    text = scalar_text(value, in_flow=True)
    return text if len(text) <= room else None


def _joined(brackets: str, parts: Iterable[tuple[str, Any]], room: int, height: int) -> str | None:
    """Write leads and values between brackets; stops at the first that does not fit."""
    written: list[str] = []
    room -= len(brackets)
    for lead, value in parts:
        text = _flow(value, room - len(lead), height - 1)
        if text is None:
            return None
        written.append(lead + text)
        room -= len(written[-1]) + len(", ")
    return f"{brackets[0]}{', '.join(written)}{brackets[1]}"


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
    return f'"{"".join(map(_escape, text))}"'


def _escape(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if "\ud800" <= char <= "\udfff":
        raise ValueError(f"half of a surrogate pair, U+{ord(char):04X}, cannot be written as UTF-8")
    return escaped(char) if is_hidden(char) else char


def is_literal(text: str) -> bool:
    """Whether text has several lines and can be written unchanged as a `|` block."""
    body = text.removesuffix("\n")
    return (
        "\n" in text
        and not body.endswith("\n")
        and bool(body.strip())
        and all(visible(line) == line for line in body.replace("\t", " ").split("\n"))
    )
