"""Texts that match some patterns and not others, of some length: the shortest, or that there is none."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.schema.comparison.patterns.automaton import Automaton, automaton_of, automaton_of_text
from toolgen.schema.comparison.patterns.characters import ALL, Alphabet

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TEXTS: Final = 8
"""Texts that are generated."""

_MOST_STATES: Final = 1_500
"""States of the product of the automata that are visited; each takes some 20 µs."""

_LOOKAROUND: Final = re.compile(r"\(\?(?:=|!|<=|<!)[^()]*\)|\\[bB]")

_State: TypeAlias = tuple[tuple[frozenset[int], ...], int]


@dataclass(frozen=True, slots=True)
class Texts:
    """Some texts that fit, unless a pattern has no automaton; with `is_none`, it is certain that no text does."""

    texts: list[str]
    is_none: bool = False


@lru_cache(maxsize=1_000)
def texts_of(
    patterns: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    excluded: tuple[str, ...] = (),
    *,
    least: int = 0,
    most: int | None = None,
) -> Texts:
    """Return texts of `least` to `most` characters that match `patterns`, not `others`, and are not `excluded`."""
    holding = [made for made in map(automaton_of, patterns) if made is not None]
    failing = [made for made in map(automaton_of, others) if made is not None]
    failing += [made for made in map(automaton_of_text, excluded) if made is not None]
    return _Search(holding, failing, least, most).texts()


def without_lookaround(pattern: str) -> str:
    """Return a pattern without lookaround and word boundaries: texts that match it may match the pattern too."""
    return _LOOKAROUND.sub("", pattern)


class _Search:
    """A search in the product of automata, shortest texts first."""

    def __init__(
        self, holding: Sequence[Automaton], failing: Sequence[Automaton], least: int, most: int | None
    ) -> None:
        self._automata = (*holding, *failing)
        self._count = len(holding)
        self._least, self._most = least, most
        self._counted = max(least, 0 if most is None else most + 1)
        """Longer texts need not be told apart by their length."""
        self._alphabet = Alphabet([ALL, *(ranges for each in self._automata for ranges in each.sets())])
        self._next: dict[tuple[int, frozenset[int], int], frozenset[int]] = {}

    def texts(self) -> Texts:
        """Return the texts."""
        starts = [each.closure(frozenset({each.start}), at_start=True, at_end=False) for each in self._automata]
        first: _State = (tuple(starts), 0)
        seen: set[_State] = {first}
        waiting: deque[tuple[_State, str]] = deque([(first, "")])
        found: list[str] = []
        while waiting:
            state, text = waiting.popleft()
            if self._is_accepted(state, text):
                found += dict.fromkeys([text, text[:-1] + self._alphabet.alternatives.get(text[-1:], "")])
                if len(found) >= MOST_TEXTS:
                    return Texts(found)
            for number, character in enumerate(self._alphabet.characters):
                after = self._after(state, number)
                if after is None or after in seen:
                    continue
                if len(seen) >= _MOST_STATES:
                    return Texts(found)
                seen.add(after)
                waiting.append((after, text + character))
        return Texts(found, is_none=not found)

    def _is_accepted(self, state: _State, text: str) -> bool:
        if len(text) < self._least:
            return False
        return all(
            (automaton.final in automaton.closure(states, at_start=not text, at_end=True)) is (index < self._count)
            for index, (automaton, states) in enumerate(zip(self._automata, state[0], strict=True))
        )

    def _after(self, state: _State, number: int) -> _State | None:
        """Return the state after a character; None if no text that fits leads there."""
        size = min(state[1] + 1, self._counted)
        if self._most is not None and state[1] + 1 > self._most:
            return None
        after: list[frozenset[int]] = []
        for index, (automaton, states) in enumerate(zip(self._automata, state[0], strict=True)):
            key = (index, states, number)
            if key not in self._next:
                read = {
                    target
                    for each in states
                    for ranges, target in automaton.transitions[each]
                    if number in self._alphabet.classes_of(ranges)
                }
                self._next[key] = automaton.closure(frozenset(read), at_start=False, at_end=False)
            found = self._next[key]
            if index < self._count and not found:
                return None
            after.append(found)
        return tuple(after), size
