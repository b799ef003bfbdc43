"""Secret values of one call, found in text in any of several encodings."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, quote_plus

from toolgen.runtime.redact.credentials import REDACTED, is_mere_credential
from toolgen.runtime.redact.secret_names import common_length
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import escape
from toolgen.spec.text import lines_of, visible

SHORTEST_ANYWHERE: Final = 6
"""Minimum length of a value that is searched for inside words.

A text of six characters hardly ever occurs by chance; shorter ones do (`test` in `latest`), and replacing them would
make messages unreadable.
"""

SHORTEST_WORD: Final = 4
"""Minimum length of a value that is searched for as a whole word, such as a PIN.

Shorter ones (`a`, `1`, `no`) are words and numbers of any text. They are redacted in their own field only.
"""

_HEAD: Final = 16
"""Length of a prefix that is enough to recognize a longer value, because printed text may be truncated."""

_LEAST_CUT: Final = 6
"""Minimum length of a prefix of a value that is redacted right before a truncation mark."""

_LEAST_LINE: Final = 8
_LONG: Final = 20_000
"""Length from which a value is searched for only as it is and as JSON, in no other encoding."""

_MOST_SPELLINGS: Final = 1000
"""Maximum search terms of one call. No text of a call with more is shown, because the search would take too long."""

_WORDS: Final = frozenset({"true", "false", "null", "none", "undefined"})
_CUT: Final = re.compile(r"…|\n\[cut:")
_HEX_ESCAPE: Final = re.compile("%[0-9A-F]{2}")
_ESCAPE: Final = re.compile(
    r"(?<!\\)\\++(?:[uU]00|[xX])([0-9A-Fa-f]{2})|%([0-9A-Fa-f]{2})|&\#[xX]0{0,5}([0-9A-Fa-f]{1,2});|&\#0{0,5}([0-9]{1,3});"
)
"""A character as an escape of JSON, Python, URLs or HTML: its number, in hexadecimal or, in the last group, not."""

_WITH_SCHEME: Final = re.compile(r"(?:basic|bearer|token)\s+(\S+)", re.IGNORECASE)


class _Spelling(NamedTuple):
    """One encoding of a value.

    `alone` is what must not be adjacent: nothing, digits, or any word character. `is_mere` means that the value can
    only be a credential.
    """

    text: str
    alone: str
    is_mere: bool


class SecretValues:
    """The secret values of one call, collected when they are first needed: `collect` returns JSON values.

    Every string and number in them is secret. Strings are found as they are, escaped for JSON (up to three times),
    Python, HTML, URLs and JSON pointers, in base64 (also within a longer text) and in hexadecimal.
    """

    def __init__(self, collect: Callable[[], Iterable[Any]], base: SecretValues | None = None) -> None:
        self._collect: Callable[[], Iterable[Any]] | None = collect
        self._base = base
        self._leaves: dict[str, str] = {}
        self._spellings: tuple[_Spelling, ...] = ()
        self._has_too_many = False
        self._unescaped: tuple[str, ...] | None = None

    @property
    def leaves(self) -> Mapping[str, str]:
        """The values, as text, with what must not be adjacent to them."""
        self._found()
        return self._leaves

    def with_more(self, values: Iterable[Any]) -> SecretValues:
        """Return these values and more."""
        others = tuple(values)
        return SecretValues(lambda: others, self) if others else self

    def hide(self, text: str, shown: str = REDACTED) -> str:
        """Return a text with each secret value in it replaced by `shown`; the same object if there is none."""
        spellings = self._found()
        if self._has_too_many:
            return shown
        hidden = _hidden(text, spellings, shown)
        if spellings and _ESCAPE.search(hidden):
            plain = _Unescaped(hidden)
            hidden = _without(hidden, [span for value in self._plain() for span in plain.places(value)], shown)
        return hidden

    def _plain(self) -> tuple[str, ...]:
        """Return the values that are searched for with any of their characters escaped, each in a way of its own."""
        if self._unescaped is None:
            texts = [text for text in self.leaves if len(text) >= _LEAST_LINE and text.isascii()]
            self._unescaped = tuple({*texts, *(_Unescaped(text).text for text in texts)})
        return self._unescaped

    def hide_from_person(self, text: str) -> str:
        """The same for text that a person bases a decision on: a value that could be more than a credential stays.

        Otherwise a model could hide a command by sending it as a password too.
        """
        return _hidden(text, [spelling for spelling in self._found() if spelling.is_mere])

    def has(self, number: float) -> bool:
        """Whether a number is one of the values."""
        text = json.dumps(number)
        return len(text) >= SHORTEST_WORD and text in self.leaves

    def _found(self) -> tuple[_Spelling, ...]:
        if self._collect is not None:
            if self._base is not None:
                self._leaves.update(self._base.leaves)
            self._leaves.update(_leaves(self._collect()))
            self._collect = self._base = None  # they keep the args alive
            found: dict[str, _Spelling] = {}
            for text, alone in self._leaves.items():
                is_mere = is_mere_credential(text)
                found.update((each, _Spelling(each, kind, is_mere)) for each, kind in _spellings(text, alone))
                if len(found) > _MOST_SPELLINGS:
                    self._has_too_many = True
                    return ()
            self._spellings = tuple(found.values())
        return self._spellings


def _leaves(values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Return the texts and numbers of JSON values, with what must not be adjacent to them.

    JSON inside a text is secret as well: a handler may parse it.
    """
    queue = list(values)
    while queue:
        value = queue.pop()
        if is_object(value):
            queue += value.values()
        elif is_array(value):
            queue += value
        elif isinstance(value, str):
            yield value, ""
            if value.lstrip()[:1] in ("{", "["):
                try:
                    queue.append(json.loads(value))
                except (ValueError, RecursionError):
                    continue
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield json.dumps(value), "digits"
            if isinstance(value, float) and value.is_integer():
                yield json.dumps(int(value)), "digits"


def _spellings(text: str, alone: str) -> Iterator[tuple[str, str]]:
    """Return the search terms, with what must not be adjacent to them."""
    stripped = text.strip()
    parts = {text, stripped}
    if scheme := _WITH_SCHEME.fullmatch(stripped):
        parts.add(scheme[1])
    for part in parts:
        if len(part) < SHORTEST_ANYWHERE:
            for spelling in _escaped(part):
                if _is_distinctive(part) and len(part) >= SHORTEST_WORD:
                    yield spelling, "word"
        elif _is_distinctive(part):
            escaped = _escaped(part)
            yield from ((spelling, alone) for spelling in escaped)
            if len(part) <= _LONG:
                yield from ((spelling, "") for spelling in _encoded(part) - escaped)
    for line in lines_of(stripped) if "\n" in stripped or "\r" in stripped else ():
        if len(line.strip()) >= _LEAST_LINE and _is_distinctive(line):
            yield line.strip(), ""


def _is_distinctive(text: str) -> bool:
    """Whether a text is specific enough: not a JSON constant, not a line of dashes, not part of `REDACTED`."""
    return text.lower() not in _WORDS and text not in REDACTED and any(map(str.isalnum, text))


def _escaped(text: str) -> set[str]:
    """Return the escaped forms of a text: as JSON in JSON, as a Python literal, in a message for a terminal."""
    found = {text, visible(text), repr(text)[1:-1]}
    level = {text}
    for _ in range(3):
        level = {json.dumps(inner, ensure_ascii=is_ascii)[1:-1] for inner in level for is_ascii in (True, False)}
        found |= level
    return found


def _encoded(text: str) -> set[str]:
    """Return a text as encoded in URLs, HTML, JSON pointers, and as bytes."""
    data = text.encode("utf-8", "surrogatepass")
    percent = {quote(data, safe=""), quote(data), quote_plus(data)}
    lower = {_HEX_ESCAPE.sub(lambda found: found[0].lower(), spelling) for spelling in percent}
    coded = {html.escape(text), html.escape(text, quote=False), escape(text), repr(data)[2:-1]}
    return {*percent, *lower, *coded, data.hex(), data.hex().upper(), *_in_base64(data)}


def _in_base64(data: bytes) -> Iterator[str]:
    """Return what base64 of a longer text contains for the data at each of the three offsets, in both alphabets."""
    for offset in range(3):
        whole = b64encode(bytes(offset) + data).decode().rstrip("=")
        certain = whole[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        if len(certain) >= SHORTEST_ANYWHERE:
            yield certain
            yield certain.translate({ord("+"): "-", ord("/"): "_"})


class _Unescaped:
    """A text with escapes replaced by their characters, and where these stand in the original."""

    def __init__(self, original: str) -> None:
        parts: list[str] = []
        self._at: list[int] = []
        self._spans: list[tuple[int, int]] = []
        done = length = 0
        for found in _ESCAPE.finditer(original):
            code = int(found[4]) if found[4] else int(found[1] or found[2] or found[3], 16)
            parts += (original[done : found.start()], chr(code))
            length += found.start() - done
            self._at.append(length)
            self._spans.append(found.span())
            length, done = length + 1, found.end()
        self.text: Final = "".join((*parts, original[done:]))

    def places(self, value: str) -> Iterator[tuple[int, int]]:
        """Return the spans of a value in the original."""
        at = self.text.find(value)
        while at >= 0:
            end = at + len(value)
            yield self._span(at)[0], self._span(end - 1)[1]
            at = self.text.find(value, end)

    def _span(self, at: int) -> tuple[int, int]:
        """Return the span of a character in the original."""
        before = bisect_right(self._at, at) - 1
        if before < 0:
            return at, at + 1
        if self._at[before] == at:
            return self._spans[before]
        start = self._spans[before][1] + at - self._at[before] - 1
        return start, start + 1


def _hidden(text: str, spellings: Sequence[_Spelling], shown: str = REDACTED) -> str:
    spans = [span for spelling in spellings for span in _places(text, spelling)]
    if "…" in text or "[cut:" in text:
        cuts = [found.start() for found in _CUT.finditer(text)]
        spans += [span for cut in cuts for spelling in spellings for span in _before_cut(text, cut, spelling.text)]
    return _without(text, spans, shown) if spans else text


def _places(text: str, spelling: _Spelling) -> Iterator[tuple[int, int]]:
    """Return the spans of an encoding in a text; of a long one also those of its prefix, as far as it matches."""
    wanted = spelling.text
    head = wanted[:_HEAD]
    at = text.find(head)
    while at >= 0:
        end = at + len(head)
        if len(wanted) > _HEAD:
            is_whole = text.startswith(wanted, at)
            end = at + (len(wanted) if is_whole else common_length(wanted, text[at : at + len(wanted)]))
        if not spelling.alone or _stands_alone(text, at, end, spelling.alone):
            yield at, end
        at = text.find(head, end)


def _stands_alone(text: str, at: int, end: int, alone: str) -> bool:
    adjacent = text[max(at - 1, 0) : at] + text[end : end + 1]
    if alone == "digits":
        return not any(map(str.isdigit, adjacent))
    return not any(char.isalnum() or char == "_" for char in adjacent)


def _before_cut(text: str, cut: int, spelling: str) -> Iterator[tuple[int, int]]:
    for length in range(min(len(spelling), _HEAD), _LEAST_CUT - 1, -1):
        if text.endswith(spelling[:length], 0, cut):
            yield cut - length, cut
            return


def _without(text: str, spans: list[tuple[int, int]], shown: str) -> str:
    parts: list[str] = []
    done = 0
    end = -1
    for begin, stop in sorted(spans):
        if begin > end:
            parts += (text[done:begin], shown)
        end = max(end, stop)
        done = end
    return "".join((*parts, text[done:]))
