"""Spec text as it is shown: where its lines begin, and which characters must not reach a reader as they are."""

from __future__ import annotations

import re
from typing import Any, Final

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_SAFE_SPACES: Final = frozenset("\u3000")


def line_starts(text: str) -> list[int]:
    """Give the offset at which each line begins. LF, CR LF and CR end a line, as in YAML 1.2; nothing else does."""
    return [0, *(match.end() for match in _LINE_BREAK.finditer(text))]


def is_hidden(char: str) -> bool:
    """Whether a character steers a terminal, reorders text, or is not to be seen: it is shown as an escape.

    Control, bidi, zero-width, private-use and unassigned characters, line separators, and all spaces but U+0020 and
    the ideographic U+3000, which is plain text in Japanese.
    """
    return char in _BLANK_LETTERS or not (char.isprintable() or char in _SAFE_SPACES)


def escaped(char: str) -> str:
    r"""Write one character as `\n`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`."""
    named = _NAMED.get(char)
    if named is not None:
        return named
    number = ord(char)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The same text on one line, with every hidden character as an escape."""
    if text.isprintable() and _BLANK_LETTERS.isdisjoint(text):
        return text
    return "".join(escaped(char) if is_hidden(char) else char for char in text)


def shown(value: Any) -> str:
    """Say in a message what a value of a spec is: itself where it is short, else its kind."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
