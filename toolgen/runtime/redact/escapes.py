"""Escapes in text: those of JSON, of programming languages and shells, of URLs, of HTML and of JSON pointers."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Final

_DEEPEST: Final = 8
"""How many layers of escapes are replaced, such as those of JSON in JSON in a URL in HTML.

Each may take off one character only, so that all of them could take quadratic time.
"""

_NAMED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
"""Characters by the letter after a backslash; any other letter stands for itself."""

_HEX: Final = "[0-9A-Fa-f]"
_NEXT: Final = rf"(?:%|\\x)[89ABab]{_HEX}"
_ESCAPE: Final = re.compile(
    rf"""([\\%&~](?:
      (?<=\\)[^uUx]
    | (?<=[\\%])u(?:[Dd][89ABab]{_HEX}{{2}}[\\%]u[Dd][C-Fc-f]{_HEX}{{2}}|{_HEX}{{4}})
    | (?:(?<=%)|(?<=\\)x)
      (?:[CDcd]{_HEX}{_NEXT}|[Ee]{_HEX}{_NEXT}{_NEXT}|[Ff]{_HEX}{_NEXT}{_NEXT}{_NEXT}|{_HEX}{{2}})
    | (?<=\\)(?:U{_HEX}{{8}}|u\{{{_HEX}{{1,6}}\}})
    | (?<=&)(?:\#[0-9]{{1,9}}|\#[Xx]{_HEX}{{1,8}}|[A-Za-z][A-Za-z0-9]{{1,31}});
    | (?<=~)[01]
    ))""",
    re.VERBOSE,
)
"""An escape of one character. The expression begins with a set of characters, which makes the search fast."""


def layers(text: str) -> Iterator[Layer]:
    """Return a text as it is, and with its escapes replaced once, twice and so on, as long as it has any.

    Whatever has an `inner` layer after the last one cannot be searched for what is inside.
    """
    layer: Layer | None = Layer(text)
    for _ in range(_DEEPEST + 1):
        if layer is None:
            return
        yield layer
        layer = layer.inner


class Layer:
    """A text, which may be an outer one with its escapes replaced."""

    def __init__(self, text: str, outer: Layer | None = None) -> None:
        self.text: Final = text
        self._outer: Final = outer
        self._begins: list[int] = []
        self._escapes: list[tuple[int, int, int]] = []

    @cached_property
    def inner(self) -> Layer | None:
        """The text with its escapes replaced; None if it has none."""
        parts = _ESCAPE.split(self.text)
        parts[1::2] = map(_character, parts[1::2])
        text = "".join(parts)
        return None if text == self.text else Layer(text, self)

    def outermost(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span of the outermost text that a span of this one stands for."""
        if self._outer is None:
            return begin, end
        if not self._begins:
            self._compare(self._outer.text)
        return self._outer.outermost(self._span(begin)[0], self._span(end - 1)[1])

    def _compare(self, outer: str) -> None:
        """Note where this text has a character of an escape: its end here, and the span of the escape."""
        done = length = 0
        for found in _ESCAPE.finditer(outer):
            begin, end = found.span()
            length += begin - done
            self._begins.append(length)
            length += len(_character(found[0]))
            self._escapes.append((length, begin, end))
            done = end

    def _span(self, at: int) -> tuple[int, int]:
        """Return the span of the outer text that a character of this one stands for."""
        before = bisect_right(self._begins, at) - 1
        if before < 0:
            return at, at + 1
        length, begin, end = self._escapes[before]
        return (begin, end) if at < length else (end + at - length, end + at - length + 1)


@lru_cache(maxsize=4096)
def _character(escape: str) -> str:
    """Return the character of an escape; the escape itself if no character has its number or name."""
    try:
        return next(decode for prefix, decode in _DECODERS if escape.startswith(prefix))(escape)
    except (ValueError, OverflowError):
        return escape


def _of_number(escape: str) -> str:
    return chr(int(escape[2:].strip("{}"), 16))


def _of_utf16(escape: str) -> str:
    return bytes.fromhex(re.sub(r"[\\%]u", "", escape)).decode("utf-16-be", "surrogatepass")


def _of_bytes(escape: str) -> str:
    """Return the character of bytes in UTF-8, or else those in Latin-1, as Python and JavaScript write them."""
    data = bytes.fromhex(re.sub(r"%|\\x", "", escape))
    try:
        return data.decode("utf-8", "surrogatepass")
    except ValueError:
        return data.decode("latin-1")


def _of_reference(escape: str) -> str:
    return chr(int(escape[3:-1], 16) if escape[2] in "Xx" else int(escape[2:-1]))


_DECODERS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("\\U", _of_number),
    ("\\u{", _of_number),
    ("\\u", _of_utf16),
    ("%u", _of_utf16),
    ("\\x", _of_bytes),
    ("%", _of_bytes),
    ("&#", _of_reference),
    ("&", html.unescape),
    ("~", lambda escape: "~/"[int(escape[1])]),
    ("\\", lambda escape: _NAMED.get(escape[1], escape[1])),
)
"""How an escape is decoded, by what it begins with."""
