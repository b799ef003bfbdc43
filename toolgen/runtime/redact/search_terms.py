"""Search terms in text: whole, or as much of them as truncated text shows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import chain
from typing import Final

from toolgen.runtime.redact.credentials import REDACTED
from toolgen.runtime.redact.escapes import layers
from toolgen.spec.text import common_length

_HEAD: Final = 16
"""Length of a beginning that is found anywhere, because a text may be truncated without a mark."""

_LEAST_PART: Final = 6
"""Minimum length of a beginning or end that is found next to a mark of truncation."""

_SLACK: Final = 8
"""Maximum characters between a part and a mark: quotes, brackets, half of an escape."""

_LEAST_CUT: Final = 200
"""Length from which the start and the end of a text count as marks of truncation.

Shorter texts are keys, words and numbers, which a secret may begin or end with.
"""

_FEW: Final = 200
"""Parts of one length, each of which is searched for by itself: that is faster for so many."""

_OVERLAPS: Final = 8
"""How often each character of a text is compared in spans that overlap."""

_WORDS: Final = frozenset({"true", "false", "null", "none", "undefined"})
_MARK: Final = re.compile(
    r"[.…\[<(](?:(?<=\.)\.{2,}+|(?<=…)"
    r"|(?<=\[)cut:[^\]\n]{0,80}\]?"
    r"|(?<=[\[<(])[^\[\]<>()\n]{0,40}(?:[Tt]runcated|TRUNCATED)[^\[\]<>()\n]{0,40}[\]>)])"
)
"""What stands for what is left out, such as `<truncated>`. The search for a set of characters is fast."""


class SearchTerms:
    """Texts that are searched for, each with what must not be adjacent: nothing, digits, or any word character."""

    def __init__(self, terms: Mapping[str, str]) -> None:
        self._begins = _Beginnings(terms.items())

    @cached_property
    def _ends(self) -> _Beginnings:
        """The terms backwards."""
        return _Beginnings((text[::-1], alone) for text, alone in self._begins.terms)

    @cached_property
    def _endings(self) -> Set[str]:
        """The ends of the shortest length that is found."""
        return {text[-_LEAST_PART:] for text, _ in self._begins.terms if len(text) >= _LEAST_PART}

    @cached_property
    def _longest(self) -> int:
        return max((len(text) for text, _ in self._begins.terms), default=0)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of a text that stand for a term or a part of it, escaped or not.

        Of a text with more layers of escapes than are replaced, that is also all of it: what is inside is not known.
        """
        if not self._begins.terms:
            return []
        found = list(layers(text))
        spans = [layer.outermost(*place) for layer in found for place in self._places(layer.text)]
        return spans if found[-1].inner is None else [*spans, (0, len(text))]

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        yield from self._begins.anywhere(text)
        marks = [found.span() for found in _MARK.finditer(text)] if _has_mark(text) else []
        edges = [(0, 0), (len(text), len(text))] if len(text) >= _LEAST_CUT else []
        if cuts := [*edges[:1], *marks, *edges[1:]]:
            yield from self._before([begin for begin, _ in cuts], text)
            yield from self._after([end for _, end in cuts], text)

    def _before(self, cuts: list[int], text: str) -> Iterator[tuple[int, int]]:
        """Return the spans of the beginnings of terms that end at a cut, but for those that are found anywhere."""
        near = _parts_of(text, [max(cut - _HEAD - _SLACK, 0) for cut in cuts], _HEAD + _SLACK)
        if any(_places_of(self._begins.shortest, near, _LEAST_PART)):
            yield from (span for span in self._begins.short(text) if _is_cut(*span, cuts))

    def _after(self, cuts: list[int], text: str) -> Iterator[tuple[int, int]]:
        """Return the spans of the ends of terms that begin at a cut: the text is searched backwards."""
        near = _parts_of(text, cuts, self._longest + _SLACK)
        if not any(_places_of(self._endings, near, _LEAST_PART)):
            return
        size = len(text)
        backwards = text[::-1]
        befores = [size - cut for cut in reversed(cuts)]
        for begin, end in chain(self._ends.anywhere(backwards), self._ends.short(backwards)):
            if _is_cut(begin, end, befores):
                yield size - end, size - begin


def _parts_of(text: str, begins: list[int], length: int) -> str:
    """Return the parts of a text that begin at some places; all of it if that is less."""
    if len(begins) * length >= len(text):
        return text
    return "\0".join([text[begin : begin + length] for begin in begins])


def _is_cut(begin: int, end: int, cuts: list[int]) -> bool:
    """Whether one of the sorted cuts is in a part, after its least length, or a few characters behind it."""
    following = bisect_left(cuts, begin + _LEAST_PART)
    return following < len(cuts) and cuts[following] <= end + _SLACK


def _has_mark(text: str) -> bool:
    return "..." in text or "…" in text or "[cut:" in text or "runcated" in text or "RUNCATED" in text


class _Beginnings:
    """The beginnings of terms: long ones, which are found anywhere, and short ones."""

    def __init__(self, terms: Iterable[tuple[str, str]]) -> None:
        self.terms: Final = tuple(terms)

    @cached_property
    def _heads(self) -> dict[int, dict[str, _Head]]:
        """The beginnings that are found anywhere, by their length, each with the terms that have it."""
        found: dict[int, dict[str, _Head]] = {}
        for text, alone in sorted(self.terms):
            part = text[:_HEAD]
            head = found.setdefault(len(part), {}).setdefault(part, _Head(alone))
            head.add(text, alone)
        return found

    @cached_property
    def _short(self) -> dict[str, str]:
        """The beginnings of each length, with what must not be adjacent to them."""
        found: dict[str, str] = {}
        for heads in self._heads.values():
            for part, head in heads.items():
                for length in range(_LEAST_PART, len(part) + 1):
                    found[part[:length]] = head.alone and found.get(part[:length], head.alone)
        return found

    @cached_property
    def shortest(self) -> Set[str]:
        """The beginnings of the shortest length that is found."""
        return {text[:_LEAST_PART] for text, _ in self.terms if len(text) >= _LEAST_PART}

    def anywhere(self, text: str) -> Iterator[tuple[int, int]]:
        """Return the spans of terms; of a long one also those of its beginning, as far as it matches.

        Where too many overlap, as in periodic text, each counts as the longest term, and has what the last one has not.
        """
        for length, heads in self._heads.items():
            done = dict.fromkeys(heads, 0)
            spare = _OVERLAPS * len(text)
            for part, at in _places_of(heads.keys(), text, length):
                head = heads[part]
                overlaps = at < done[part]
                is_spent = overlaps and spare <= 0
                size = head.longest if is_spent else head.matching(text, at)
                spare -= size if overlaps else 0
                begin, end = done[part] if is_spent else at, min(at + size, len(text))
                done[part] = max(done[part], end)
                if begin < end and _stands_alone(text, begin, end, head.alone):
                    yield begin, end

    def short(self, text: str) -> Iterator[tuple[int, int]]:
        """Return the spans of beginnings, each as far as it matches."""
        for _, begin in _places_of(self.shortest, text, _LEAST_PART):
            ends = range(begin + _HEAD, begin + _LEAST_PART - 1, -1)
            part = next(text[begin:end] for end in ends if text[begin:end] in self._short)
            end = begin + len(part)
            if is_distinctive(part) and _stands_alone(text, begin, end, self._short[part]):
                yield begin, end


class _Head:
    """The terms that begin in the same way, and what must not be adjacent to any of them."""

    def __init__(self, alone: str) -> None:
        self.alone = alone
        self.longest = 0
        self._texts: list[str] = []

    def add(self, text: str, alone: str) -> None:
        """Add a term, which is not less than those before."""
        self._texts.append(text)
        self.alone = self.alone and alone
        self.longest = max(self.longest, len(text))

    def matching(self, text: str, at: int) -> int:
        """Return as how many characters of a text, from a place on, one of the terms begins.

        Takes time in proportion to these: neighbours of a text in sorted order have most in common with it.
        """
        size = _HEAD
        while True:
            size *= 2
            part = text[at : at + size]
            place = bisect_left(self._texts, part)
            near = self._texts[max(place - 1, 0) : place + 1]
            length = max(common_length(part, each[:size]) for each in near)
            if length < size:
                return length


def _places_of(parts: Set[str], text: str, length: int) -> Iterator[tuple[str, int]]:
    """Yield each of some parts of one length and its places in a text; of each part, the places in order.

    Takes time in proportion to the text, however many parts there are.
    """
    if len(parts) > _FEW:
        for at in range(len(text) - length + 1):
            if (part := text[at : at + length]) in parts:
                yield part, at
        return
    for part in parts:
        at = text.find(part)
        while at >= 0:
            yield part, at
            at = text.find(part, at + 1)


def is_distinctive(text: str) -> bool:
    """Whether a text is specific enough: not a JSON constant, not a line of dashes, not part of `REDACTED`."""
    return text.lower() not in _WORDS and text not in REDACTED and any(map(str.isalnum, text))


def _stands_alone(text: str, at: int, end: int, alone: str) -> bool:
    if not alone:
        return True
    adjacent = text[max(at - 1, 0) : at] + text[end : end + 1]
    if alone == "digits":
        return not any(map(str.isdigit, adjacent))
    return not any(char.isalnum() or char == "_" for char in adjacent)
