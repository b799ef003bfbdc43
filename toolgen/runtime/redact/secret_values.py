"""Secret values of one call, found in text in any of several encodings."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolgen.runtime.redact.credentials import REDACTED, is_mere_credential
from toolgen.runtime.redact.escapes import layers
from toolgen.runtime.redact.secret_names import common_length
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import lines_of

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
"""Length from which a value is not searched for in base64 and hexadecimal."""

_MOST_SPELLINGS: Final = 1000
"""Maximum search terms of one call. No text of a call with more is shown, because the search would take too long."""

_WORDS: Final = frozenset({"true", "false", "null", "none", "undefined"})
_CUT: Final = re.compile(r"…|\n\[cut:")
_WITH_SCHEME: Final = re.compile(r"(?:basic|bearer|token)\s+(\S+)", re.IGNORECASE)


class _Spelling(NamedTuple):
    """A search term: a value, a part of it, or its bytes in base64 or hexadecimal.

    `alone` is what must not be adjacent: nothing, digits, or any word character. `is_mere` means that the value can
    only be a credential.
    """

    text: str
    alone: str
    is_mere: bool


class SecretValues:
    """The secret values of one call, collected when they are first needed: `collect` returns JSON values.

    Every string and number in them is secret. Strings are found as they are, with any of their characters escaped, see
    `escapes`, in base64 (also within a longer text) and in hexadecimal.
    """

    def __init__(self, collect: Callable[[], Iterable[Any]], base: SecretValues | None = None) -> None:
        self._collect: Callable[[], Iterable[Any]] | None = collect
        self._base = base
        self._leaves: dict[str, str] = {}
        self._spellings: tuple[_Spelling, ...] = ()
        self._has_too_many = False

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
        return _without(text, _spans(text, spellings), shown)

    def hide_from_person(self, text: str) -> str:
        """The same for text that a person bases a decision on: a value that could be more than a credential stays.

        Otherwise a model could hide a command by sending it as a password too. The same holds for an escaped value.
        """
        spans = _spans(text, [spelling for spelling in self._found() if spelling.is_mere])
        return _without(text, [span for span in spans if is_mere_credential(text[slice(*span)])], REDACTED)

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
        for plain in _unescaped(part):
            if len(plain) >= SHORTEST_WORD and _is_distinctive(plain):
                yield plain, "word" if len(plain) < SHORTEST_ANYWHERE else alone
        if SHORTEST_ANYWHERE <= len(part) <= _LONG and _is_distinctive(part):
            yield from ((encoded, "") for encoded in _encoded(part))
    for line in lines_of(stripped) if "\n" in stripped or "\r" in stripped else ():
        if len(line.strip()) >= _LEAST_LINE and _is_distinctive(line):
            yield line.strip(), ""


def _is_distinctive(text: str) -> bool:
    """Whether a text is specific enough: not a JSON constant, not a line of dashes, not part of `REDACTED`."""
    return text.lower() not in _WORDS and text not in REDACTED and any(map(str.isalnum, text))


def _unescaped(text: str) -> set[str]:
    """Return what a text is, escaped by somebody or not, once its escapes are replaced; a form has `+` for a space."""
    plain = {layer.text for layer in layers(text)}
    return plain | {each.replace(" ", "+") for each in plain}


def _encoded(text: str) -> Iterator[str]:
    """Return the bytes of a text, and those of the text in JSON, in hexadecimal and in base64."""
    for each in {text, *(json.dumps(text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False))}:
        data = each.encode("utf-8", "surrogatepass")
        yield from (data.hex(), data.hex().upper(), *_in_base64(data))


def _in_base64(data: bytes) -> Iterator[str]:
    """Return what base64 of a longer text contains for the data at each of the three offsets, in both alphabets."""
    for offset in range(3):
        whole = b64encode(bytes(offset) + data).decode().rstrip("=")
        certain = whole[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        if len(certain) >= SHORTEST_ANYWHERE:
            yield certain
            yield certain.translate({ord("+"): "-", ord("/"): "_"})


def _spans(text: str, spellings: Sequence[_Spelling]) -> list[tuple[int, int]]:
    """Return the spans of a text that stand for a search term, escaped or not."""
    if not spellings:
        return []
    return [layer.outermost(*place) for layer in layers(text) for place in _found_in(layer.text, spellings)]


def _found_in(text: str, spellings: Sequence[_Spelling]) -> Iterator[tuple[int, int]]:
    for spelling in spellings:
        yield from _places(text, spelling)
    if "…" in text or "[cut:" in text:
        for cut in (found.start() for found in _CUT.finditer(text)):
            for spelling in spellings:
                yield from _before_cut(text, cut, spelling.text)


def _places(text: str, spelling: _Spelling) -> Iterator[tuple[int, int]]:
    """Return the spans of a search term in a text; of a long one also those of its prefix, as far as it matches."""
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
    if not spans:
        return text
    parts: list[str] = []
    done = 0
    end = -1
    for begin, stop in sorted(spans):
        if begin > end:
            parts += (text[done:begin], shown)
        end = max(end, stop)
        done = end
    return "".join((*parts, text[done:]))
