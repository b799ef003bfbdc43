r"""Automata of patterns, which accept the texts that contain a match.

They are built from what the standard library's parser reads, for the syntax that it and jsonschema-rs read alike. There
are none for lookaround, beside which jsonschema-rs 0.60 also gives classes such as `\\w` another meaning.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, Final

from toolgen.schema.comparison.patterns.characters import (
    ALL,
    ANY_BUT_NEWLINE,
    DIGITS,
    SPACES,
    WORDS,
    Ranges,
    without,
)

MOST_STATES: Final = 2_000
"""States of one automaton; repetitions are spelled out."""

_ALIKE: Final = re.compile(
    r"""(?: [^\\(\[] | \\[dDwWsSnrtfv] | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\[^A-Za-z0-9]
    | \( (?!\?) | \(\?:
    | \[ \^? (?: [^\\\[\]] | \\[dDwWsSnrtfv] | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\[^A-Za-z0-9] )+ \] )*""",
    re.VERBOSE | re.DOTALL,
)
"""Patterns that both parsers read alike."""

_CATEGORIES: Final[dict[str, Ranges]] = {
    "CATEGORY_DIGIT": DIGITS, "CATEGORY_NOT_DIGIT": without(DIGITS), "CATEGORY_SPACE": SPACES,
    "CATEGORY_NOT_SPACE": without(SPACES), "CATEGORY_WORD": WORDS, "CATEGORY_NOT_WORD": without(WORDS),
}  # fmt: skip


class _NoAutomatonError(Exception):
    """A pattern needs too many states, or something that no automaton has."""


class Automaton:
    """States with transitions by sets of characters, and steps that read nothing, some only at an end of the text."""

    def __init__(self) -> None:
        self.transitions: list[list[tuple[Ranges, int]]] = []
        self.steps: list[list[tuple[str, int]]] = []
        self.start = self.state()
        self.final = self.state()

    def state(self) -> int:
        """Add a state."""
        if len(self.transitions) >= MOST_STATES:
            raise _NoAutomatonError
        self.transitions.append([])
        self.steps.append([])
        return len(self.transitions) - 1

    def closure(self, states: frozenset[int], *, at_start: bool, at_end: bool) -> frozenset[int]:
        """Return the states that can be reached without reading."""
        found, waiting = set(states), list(states)
        while waiting:
            for condition, target in self.steps[waiting.pop()]:
                allowed = not condition or (at_start if condition == "^" else at_end)
                if allowed and target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)

    def sets(self) -> set[Ranges]:
        """Return all sets of characters."""
        return {ranges for each in self.transitions for ranges, _ in each}

    def add(self, parsed: Any, here: int) -> int:
        """Add what a parsed pattern reads after a state; return the state behind it."""
        for operation, value in parsed:
            here = self._add(str(operation), value, here)
        return here

    def _add(self, operation: str, value: Any, here: int) -> int:
        match operation:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                there = self.state()
                self.transitions[here].append((_ranges(operation, value), there))
                return there
            case "BRANCH":
                there = self.state()
                for each in value[1]:
                    self.steps[self.add(each, here)].append(("", there))
                return there
            case "SUBPATTERN":
                return self.add(value[3], here)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._add_repeat(value, here)
            case "AT" if str(value) in ("AT_BEGINNING", "AT_END"):
                there = self.state()
                self.steps[here].append(("^" if str(value) == "AT_BEGINNING" else "$", there))
                return there
            case _:
                raise _NoAutomatonError

    def _add_repeat(self, repeat: tuple[int, Any, Any], here: int) -> int:
        least, most, inner = repeat
        for _ in range(least):
            here = self.add(inner, here)
        there = self.state()
        if str(most) == "MAXREPEAT":
            loop = self.state()
            self.steps[here].append(("", loop))
            self.steps[self.add(inner, loop)].append(("", loop))
            self.steps[loop].append(("", there))
            return there
        for _ in range(int(most) - least):
            self.steps[here].append(("", there))
            here = self.add(inner, here)
        self.steps[here].append(("", there))
        return there


@lru_cache(maxsize=500)
def automaton_of(pattern: str) -> Automaton | None:
    """Return the automaton of a pattern; None if it has none, or a too large one."""
    if _ALIKE.fullmatch(pattern) is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sets that a later version will read differently
            parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]  # noqa: SLF001  # no public parser
        made = Automaton()
        found = made.add(parsed, made.start)
    except (re.error, RecursionError, OverflowError, _NoAutomatonError):
        return None
    made.steps[found].append(("", made.final))
    made.transitions[made.start].append((ALL, made.start))
    made.transitions[made.final].append((ALL, made.final))
    return made


@lru_cache(maxsize=500)
def automaton_of_text(text: str) -> Automaton | None:
    """Return the automaton that accepts one text; None if it is too long."""
    made = Automaton()
    here = made.state()
    made.steps[made.start].append(("^", here))
    try:
        for character in text:
            there = made.state()
            made.transitions[here].append((((ord(character), ord(character)),), there))
            here = there
    except _NoAutomatonError:
        return None
    made.steps[here].append(("$", made.final))
    return made


def _ranges(operation: str, value: Any) -> Ranges:
    match operation:
        case "LITERAL":
            return ((value, value),)
        case "NOT_LITERAL":
            return without([(value, value)])
        case "ANY":
            return ANY_BUT_NEWLINE
        case _:
            return _set(value)


def _set(members: Any) -> Ranges:
    ranges: list[tuple[int, int]] = []
    is_negated = False
    for operation, value in members:
        match str(operation):
            case "NEGATE":
                is_negated = True
            case "LITERAL":
                ranges.append((value, value))
            case "RANGE":
                ranges.append((value[0], value[1]))
            case _:
                ranges += _CATEGORIES[str(value)]
    return without(ranges) if is_negated else without(without(ranges))
