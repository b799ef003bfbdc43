"""Secret values of one call, found in text in any of several encodings."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.runtime.redact.credentials import REDACTED, is_mere_credential
from toolgen.runtime.redact.escapes import layers
from toolgen.runtime.redact.search_terms import SearchTerms, is_distinctive
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

_LEAST_LINE: Final = 8
_LONG: Final = 20_000
"""Length from which a value is not searched for in base64 and hexadecimal."""

_MOST_TERMS: Final = 10_000
"""Maximum search terms. With more, no text is shown: collecting them would take too long."""

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[-0-9][-+.0-9Ee]*', re.DOTALL)
"""The strings and numbers of JSON, also a string without an end."""

_LONGEST_INTEGER: Final = 4_000
"""Digits of an integer that Python makes a number of, by default 4,300."""

_WITH_SCHEME: Final = re.compile(r"(?:basic|bearer|token)\s+(\S+)", re.IGNORECASE)


class SecretValues:
    """The secret values of one call, collected when they are first needed: `collect` returns JSON values.

    Those of `bases` are secret too. Every string and number in them is secret. Strings are found as they are, with any
    of their characters escaped, see `escapes`, in base64 (also within a longer text) and in hexadecimal; and parts of
    all these, see `search_terms`.
    """

    def __init__(self, collect: Callable[[], Iterable[Any]], *bases: SecretValues) -> None:
        self._collect: Callable[[], Iterable[Any]] | None = collect
        self._bases = bases
        self._leaves: dict[str, str] = {}
        self._terms = self._mere = SearchTerms({})
        self._has_too_many = False

    @property
    def leaves(self) -> Mapping[str, str]:
        """The values, as text, with what must not be adjacent to them."""
        self._find()
        return self._leaves

    def with_more(self, values: Iterable[Any]) -> SecretValues:
        """Return these values and more."""
        others = tuple(values)
        return SecretValues(lambda: others, self) if others else self

    def hide(self, text: str, shown: str = REDACTED) -> str:
        """Return a text with each secret value in it replaced by `shown`; the same object if there is none."""
        self._find()
        return shown if self._has_too_many else _without(text, self._terms.spans(text), shown)

    def hide_from_person(self, text: str) -> str:
        """The same for text that a person bases a decision on: a value that could be more than a credential stays.

        Otherwise a model could hide a command by sending it as a password too. So what is replaced, such as a part of a
        value, or escapes, cannot be more either.
        """
        self._find()
        spans = [span for span in self._mere.spans(text) if is_mere_credential(text[slice(*span)])]
        return _without(text, spans, REDACTED)

    def has(self, number: float) -> bool:
        """Whether a number is one of the values."""
        text = json.dumps(number)
        return len(text) >= SHORTEST_WORD and text in self.leaves

    def _find(self) -> None:
        """Collect the values, and the terms that are searched for: those of mere credentials alone, too."""
        bases, collect = self._bases, self._collect
        if collect is None:
            return
        leaves: dict[str, str] = {}
        for base in bases:
            leaves.update(base.leaves)
        leaves.update(_leaves(collect()))
        terms: dict[str, str] = {}
        mere: dict[str, str] = {}
        for text, alone in leaves.items():
            found = dict(_terms(text, alone))
            terms.update(found)
            if is_mere_credential(text):
                mere.update(found)
            if len(terms) > _MOST_TERMS:
                self._has_too_many = True
                break
        self._leaves, self._terms, self._mere = leaves, SearchTerms(terms), SearchTerms(mere)
        self._collect = None  # last: another thread collects the same until all is there
        self._bases = ()  # both keep the args alive


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
            if value.lstrip()[:1] in ("{", "[", '"'):
                try:
                    queue.append(json_inside(value, lambda members: [each for _, each in members]))
                except Undecided:
                    queue += map(_token_value, _TOKEN.findall(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield json.dumps(value), "digits"
            if isinstance(value, float) and value.is_integer():
                yield json.dumps(int(value)), "digits"


class Undecided(Exception):
    """A text may be JSON for others, and what they find in it is not known here."""


def json_inside(text: str, members: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    """Return the JSON value that a text is, with what `members` makes of each object; None for any other text.

    Raises `Undecided` for what is nested too deeply. Integers are read that are too long for a number, as texts.
    """
    try:
        return json.loads(text, object_pairs_hook=members, parse_int=_integer)
    except RecursionError:
        raise Undecided from None
    except ValueError:
        return None


def _token_value(token: str) -> str:
    """Return the text of a token; what is no JSON string is taken as it is."""
    try:
        return str(json.loads(token)) if token.startswith('"') else token
    except ValueError:
        return token.removeprefix('"')


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INTEGER else digits


def _terms(text: str, alone: str) -> Iterator[tuple[str, str]]:
    """Return the search terms, with what must not be adjacent to them."""
    stripped = text.strip()
    parts = {text, stripped}
    if scheme := _WITH_SCHEME.fullmatch(stripped):
        parts.add(scheme[1])
    for part in parts:
        for plain in _unescaped(part):
            if len(plain) >= SHORTEST_WORD and is_distinctive(plain):
                yield plain, "word" if len(plain) < SHORTEST_ANYWHERE else alone
        if SHORTEST_ANYWHERE <= len(part) <= _LONG and is_distinctive(part):
            yield from ((encoded, "") for encoded in _encoded(part))
    for line in lines_of(stripped) if "\n" in stripped or "\r" in stripped else ():
        if len(line.strip()) >= _LEAST_LINE and is_distinctive(line):
            yield line.strip(), ""


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
