"""Characters that must be escaped for readers, because they would control a terminal or hide text."""

from __future__ import annotations

from typing import Final

_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_SAFE_SPACES: Final = frozenset("\u3000")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_hidden(char: str) -> bool:
    """Whether a character controls a terminal, reorders text, or is invisible, so that it is shown as an escape.

    Control, bidi, zero-width, private-use and unassigned characters, line separators, and all spaces but U+0020 and
    the ideographic U+3000, which is plain text in Japanese.
    """
    return char in _BLANK_LETTERS or not (char.isprintable() or char in _SAFE_SPACES)


def escaped(char: str) -> str:
    r"""Return one character as `\n`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`."""
    named = _NAMED.get(char)
    if named is not None:
        return named
    number = ord(char)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def visible(text: str) -> str:
    """Return the text on one line, with every hidden character as an escape."""
    if text.isprintable() and _BLANK_LETTERS.isdisjoint(text):
        return text
    return "".join(escaped(char) if is_hidden(char) else char for char in text)


_NAME: Final = 100


def shown_name(name: str) -> str:
    """Return a name that nobody here gave as it is shown and kept: escaped, and of at most 100 characters."""
    return cut(visible(name[: _NAME + 1]), _NAME)


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: one that is longer ends in `…`."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
