"""Patterns of strings: what they match, and texts that match some and not others."""

from __future__ import annotations

import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.schema.bounds import Bounds, compiled_validator

if TYPE_CHECKING:
    from jsonschema_rs import Validator


# Sets of characters, as sorted ranges of code points, and what the classes of patterns mean in jsonschema-rs.

Ranges: TypeAlias = tuple[tuple[int, int], ...]

ALL: Final[Ranges] = ((0, 0xD7FF), (0xE000, 0x10FFFF))
"""All characters: code points without surrogates."""

DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORDS: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACES: Final[Ranges] = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
"""As ECMA-262 defines `\\d`, `\\w` and `\\s`."""

_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. "


def without(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return all other characters."""
    left: list[tuple[int, int]] = []
    for low, high in ALL:
        start = low
        for first, last in sorted(ranges):
            if last < start or first > high:
                continue
            if first > start:
                left.append((start, first - 1))
            start = max(start, last + 1)
        if start <= high:
            left.append((start, high))
    return tuple(left)


ANY_BUT_NEWLINE: Final = without([(0x0A, 0x0A)])
"""What `.` matches."""


class Alphabet:
    """Characters in classes: those of one class are in the same sets."""

    def __init__(self, sets: Iterable[Ranges]) -> None:
        self._numbers = {ranges: number for number, ranges in enumerate(dict.fromkeys(sets))}
        changes: dict[int, int] = dict.fromkeys((0, 0xD800, 0xE000, 0x110000), 0)
        for ranges, number in self._numbers.items():
            for low, high in ranges:
                for cut in (low, high + 1):
                    changes[cut] = changes.get(cut, 0) ^ (1 << number)
        members: dict[int, list[tuple[int, int]]] = {}
        signature = 0  # the sets that the characters from a cut on are in, each a bit
        for low, next_ in pairwise(sorted(changes)):
            signature ^= changes[low]
            if not 0xD800 <= low <= 0xDFFF:
                members.setdefault(signature, []).append((low, next_ - 1))
        self.characters = [_nicest(ranges) for ranges in members.values()]
        """A character of each class."""
        self.alternatives = {
            character: _other(ranges, character)
            for character, ranges in zip(self.characters, members.values(), strict=True)
        }
        """Another character of the class of each of these; the same if there is no other."""
        self._signatures = list(members)
        self._classes: dict[Ranges, frozenset[int]] = {}

    def classes_of(self, ranges: Ranges) -> frozenset[int]:
        """Return the numbers of the classes of a set."""
        if ranges not in self._classes:
            bit = 1 << self._numbers[ranges]
            numbers = (number for number, signature in enumerate(self._signatures) if signature & bit)
            self._classes[ranges] = frozenset(numbers)
        return self._classes[ranges]


def _has(ranges: Ranges, point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)


def _other(ranges: Sequence[tuple[int, int]], character: str) -> str:
    points = (point for low, high in ranges for point in (low, min(low + 1, high), high))
    return next((chr(point) for point in points if chr(point) != character), character)


def _nicest(ranges: Sequence[tuple[int, int]]) -> str:
    own = tuple(ranges)
    preferred = next((each for each in _PREFERRED if _has(own, ord(each))), "")
    printable = next((chr(point) for point in range(0x21, 0x7F) if _has(own, point)), "")
    return preferred or printable or chr(own[0][0])


# Automata of patterns, which accept the texts that contain a match.
#
# They are built from what the standard library's parser reads, for the syntax that it and jsonschema-rs read alike.
# There are none for lookaround, beside which jsonschema-rs 0.60 also gives classes such as `\\w` another meaning.

MOST_STATES: Final = 2_000
"""States of one automaton; repetitions are spelled out."""

_MOST_IN_ALL: Final = 6_000
"""States and ranges of characters in one search, beyond which patterns are left out: what fits may not match them."""

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


@lru_cache(maxsize=100)
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


@lru_cache(maxsize=100)
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


# Texts that match some patterns and not others, of some length: the shortest, or that there is none.

MOST_TEXTS: Final = 8
"""Texts that are generated."""

_MOST_STATES: Final = 1_500
"""States of the product of the automata that are visited; each takes some 20 µs."""

_MOST_STEPS: Final = 1_000_000
"""Steps of a search: a transition of one automaton, for each state it may be in; each takes some 0.1 µs."""

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
    left = _MOST_IN_ALL

    def those_of(make: Callable[[str], Automaton | None], texts: Sequence[str]) -> Iterator[Automaton]:
        nonlocal left
        for text in texts:
            made = make(text) if left > 0 else None
            if made is not None:
                left -= len(made.transitions) + sum(map(len, made.sets()))
                yield made

    holding = list(those_of(automaton_of, patterns))
    failing = [*those_of(automaton_of, others), *those_of(automaton_of_text, excluded)]
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
        self._steps = 0

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
                if self._steps > _MOST_STEPS:
                    return Texts(found)
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
            self._steps += 1
            if key not in self._next:
                read = {
                    target
                    for each in states
                    for ranges, target in automaton.transitions[each]
                    if number in self._alphabet.classes_of(ranges)
                }
                self._steps += len(states) + len(read)
                self._next[key] = automaton.closure(frozenset(read), at_start=False, at_end=False)
            found = self._next[key]
            if index < self._count and not found:
                return None
            after.append(found)
        return tuple(after), size


# Whether a pattern matches a text, as jsonschema-rs decides.


@lru_cache(maxsize=1_000)
def _validator(pattern: str) -> Validator:
    schema = {"pattern": pattern}
    return compiled_validator(schema, Bounds(schema))


@lru_cache(maxsize=10_000)
def matches(pattern: str, text: str) -> bool:
    """Return whether the validator finds a pattern in a text."""
    return _validator(pattern).is_valid(text)
