r"""Tag patterns: the regular expressions that parse a line of text to the args of a tool.

They have the syntax and meaning of Python's. Constructs with unbounded time, or without use in one line, are rejected:

    (factual|communication)\s+(.+)      taken: words, classes, groups, `|`, and `*`, `+`, `?`, `{2,5}`, lazy with a `?`
    (\w+) \1                            refused: a backreference; so are lookaround, conditions, atomic groups, flags
    ^(.+)$                              refused: an anchor; the pattern has to match all there is anyway
    (a|b*)*                             refused: what is repeated may be empty
    (?:(\w+) )+                         refused: a group that is repeated, of which only the last would be kept
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias
from warnings import catch_warnings

from toolgen.contract.picklable import Picklable

# Programs that match one line of text: the compiled form of tag patterns, run in linear time.
#
# Python's engine tries all ways to match a text, possibly exponentially many. This one never tries the same
# instruction at the same place twice: if it failed once it would fail again, because no instruction depends on
# earlier matches. So it takes at most as many steps as instructions times places in the text, and finds the same
# match as Python's: the first one, with greedy parts trying more before less.


class MatchText(NamedTuple):
    """Match a literal text."""

    text: str
    then: int


class One(NamedTuple):
    """Match one character with a pattern of one character."""

    pattern: re.Pattern[str]
    then: int


class Mark(NamedTuple):
    """Store the place: groups begin at even slots, and end at the odd ones after them."""

    slot: int
    then: int


class Fork(NamedTuple):
    """Continue at the first of these targets from which the rest of the text matches."""

    targets: tuple[int, ...]


class End(NamedTuple):
    """Match the end of the text."""


Instruction: TypeAlias = MatchText | One | Mark | Fork | End


@dataclass(frozen=True, slots=True)
class PatternPart:
    """A part of a pattern. `build` adds its instructions to a program, before a given one, and returns its first.

    `size` is the maximum number that it adds, including targets of forks. `words` are all the words it matches, if it
    only matches enumerated words.
    """

    size: int
    build: Callable[[list[Instruction], int], int]
    may_be_empty: bool = False
    has_group: bool = False
    words: tuple[str, ...] = ()


def text(literal: str) -> PatternPart:
    """Return a part for literal text."""
    return PatternPart(1, lambda program, then: _add(program, MatchText(literal, then)), words=(literal,))


def one(pattern: re.Pattern[str]) -> PatternPart:
    """Return a part for one character of a class."""
    return PatternPart(1, lambda program, then: _add(program, One(pattern, then)))


def sequence(parts: Sequence[PatternPart]) -> PatternPart:
    """Return a part for a sequence of parts."""
    if len(parts) == 1:
        return parts[0]

    def build(program: list[Instruction], then: int) -> int:
        for part in reversed(parts):
            then = part.build(program, then)
        return then

    return PatternPart(
        sum(part.size for part in parts),
        build,
        may_be_empty=all(part.may_be_empty for part in parts),
        has_group=any(part.has_group for part in parts),
    )


def choice(parts: Sequence[PatternPart]) -> PatternPart:
    """Return a part for alternatives, the first that matches."""
    if len(parts) == 1:
        return parts[0]

    def build(program: list[Instruction], then: int) -> int:
        return _add(program, Fork(tuple(part.build(program, then) for part in parts)))

    return PatternPart(
        sum(part.size + 1 for part in parts),
        build,
        may_be_empty=any(part.may_be_empty for part in parts),
        has_group=any(part.has_group for part in parts),
        words=tuple(word for part in parts for word in part.words) if all(part.words for part in parts) else (),
    )


def group(number: int, part: PatternPart) -> PatternPart:
    """Return a part for a capturing group. Groups are numbered from 0."""

    def build(program: list[Instruction], then: int) -> int:
        return _add(program, Mark(2 * number, part.build(program, _add(program, Mark(2 * number + 1, then)))))

    return PatternPart(part.size + 2, build, may_be_empty=part.may_be_empty, has_group=True)


def repeat(part: PatternPart, least: int, most: int | None, *, lazy: bool) -> PatternPart:
    """Return a part that repeats `least` to `most` times, or without limit; as often as possible, unless lazy.

    The part itself must not match empty text.
    """

    def fork(body: int, then: int) -> Fork:
        return Fork((then, body) if lazy else (body, then))

    def build(program: list[Instruction], then: int) -> int:
        first, copies = then, least
        if most is None:
            loop = _add(program, Fork(()))
            body = part.build(program, loop)
            program[loop] = fork(body, then)
            first, copies = (body, least - 1) if least else (loop, 0)
        else:
            for _ in range(most - least):
                first = _add(program, fork(part.build(program, first), then))
        for _ in range(copies):
            first = part.build(program, first)
        return first

    size = part.size * max(least, 1) + 2 if most is None else part.size * most + 2 * (most - least)
    return PatternPart(size, build, may_be_empty=not least, has_group=part.has_group)


def run(program: Sequence[Instruction], start: int, groups: int, text: str) -> tuple[str, ...] | None:
    """Match a whole text; return its groups, empty for those that did not match; None if it does not match."""
    places = len(text) + 1
    tried = bytearray(len(program) * places)
    waiting: list[tuple[int, int, tuple[int, ...]]] = [(start, 0, (0,) * (2 * groups))]
    while waiting:
        number, at, marks = waiting.pop()
        while not tried[number * places + at]:
            tried[number * places + at] = 1
            instruction = program[number]
            if isinstance(instruction, One):
                if instruction.pattern.match(text, at) is None:
                    break
                number, at = instruction.then, at + 1
            elif isinstance(instruction, Fork):
                number, *others = instruction.targets
                waiting += [(other, at, marks) for other in reversed(others)]
            elif isinstance(instruction, MatchText):
                if not text.startswith(instruction.text, at):
                    break
                number, at = instruction.then, at + len(instruction.text)
            elif isinstance(instruction, Mark):
                slot = instruction.slot
                marks = (*marks[:slot], at, *marks[slot + 1 :])
                number = instruction.then
            elif at == len(text):
                return tuple(text[marks[slot] : marks[slot + 1]] for slot in range(0, 2 * groups, 2))
            else:
                break
    return None


def _add(program: list[Instruction], instruction: Instruction) -> int:
    program.append(instruction)
    return len(program) - 1


MAX_LENGTH: Final = 8192
"""Maximum characters of a pattern."""

MAX_SIZE: Final = 1000
"""Maximum instructions of a pattern. A bounded repetition becomes as many copies."""

MAX_DEPTH: Final = 50
"""Maximum nesting of groups."""

_NO_BOUND: Final = "remove it: the time that it takes is unbounded"
_REFUSED: Final = (
    (re.compile(r"\\[1-9]|\(\?P="), "a backreference", _NO_BOUND),
    (re.compile(r"\(\?<?[=!]"), "a lookaround", _NO_BOUND),
    (re.compile(r"\(\?\("), "a condition", _NO_BOUND),
    (re.compile(r"\(\?>"), "an atomic group", "write `(?:…)`"),
    (re.compile(r"\(\?[aiLmsux-]"), "a flag", "write the alternatives, as in `[Yy]es`"),
    (re.compile(r"\(\?#"), "a comment", "remove it"),
    (
        re.compile(r"[\^$]|\\[AbBzZ]"),
        "an anchor",
        "remove it: the pattern must match everything after the prefix",
    ),
    (re.compile(r"\{"), "a brace that repeats nothing", r"write `\{` for the brace itself"),
    (re.compile(r"\\."), "an escape that tag patterns do not have", "write the character itself"),
)
"""Rejected constructs, their names, and what to write instead."""

_CLASS: Final = re.compile(r"\.|\\[dDsSwW]|\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)
_ONE_CHARACTER: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[afnrtv])")
_ESCAPED: Final = re.compile(r"\\[^0-9A-Za-z]")
_GROUP: Final = re.compile(r"\((?:\?P<\w+>)?(?!\?)")
_REPEAT: Final = re.compile(
    r"(?:(?P<sign>[*+?])|\{(?=[0-9,])(?P<least>[0-9]*)(?P<to>,?)(?P<most>[0-9]*)\})(?P<how>[?+]?)"
)
_SIGNS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class PatternRefused(Picklable, ValueError):
    """A text is not a tag pattern.

    The message is the reason, as a clause; `hint` is what to write instead, if known.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class TagPattern:
    """A parsed pattern. `words` has, for each group, all the words it can match, if they are enumerated."""

    program: Sequence[Instruction]
    start: int
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, pattern: str) -> TagPattern:
        """Parse a pattern. Raises `PatternRefused`."""
        if len(pattern) > MAX_LENGTH:
            raise PatternRefused(f"has more than {MAX_LENGTH} characters")
        with catch_warnings(action="ignore"):  # FutureWarning about set syntax
            try:
                re.compile(pattern)
            except (re.error, RecursionError, OverflowError) as error:
                raise PatternRefused(f"is not a regular expression: {error}") from None
            reader = _PatternReader(pattern)
            part = reader.choice()
        program: list[Instruction] = [End()]
        return cls(program, part.build(program, 0), tuple(reader.words))

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.words)

    def match(self, text: str) -> tuple[str, ...] | None:
        """Match a whole text in linear time; return the groups, empty for those that did not match, or None."""
        return run(self.program, self.start, self.groups, text)


class _PatternReader:
    """Parses a valid Python regular expression: its brackets match, and its repetitions are well-formed."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self.words: list[tuple[str, ...]] = []

    def choice(self) -> PatternPart:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return _bounded(choice(branches))

    def _sequence(self) -> PatternPart:
        parts: list[PatternPart] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            part = self._repeated(self._atom())
            if parts and len(parts[-1].words) == len(part.words) == 1:
                part = text(parts.pop().words[0] + part.words[0])
            parts.append(part)
        return sequence(parts)

    def _atom(self) -> PatternPart:
        if found := self._next(_CLASS) or self._next(_ONE_CHARACTER):
            return one(re.compile(found[0]))
        if found := self._next(_GROUP):
            return self._group(number=len(self.words))
        if self._take("(?:"):
            return self._group(number=None)
        if found := self._next(_ESCAPED):
            return text(found[0][1])
        self._check_refused()
        self._at += 1
        return text(self._pattern[self._at - 1])

    def _group(self, number: int | None) -> PatternPart:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternRefused(f"nests groups more than {MAX_DEPTH} deep")
        if number is not None:
            self.words.append(())
        part = self.choice()
        self._take(")")
        self._depth -= 1
        if number is None:
            return part
        self.words[number] = part.words
        return group(number, part)

    def _repeated(self, part: PatternPart) -> PatternPart:
        found = self._next(_REPEAT)
        if found is None:
            return part
        shown = found[0]
        if found["how"] == "+":
            raise PatternRefused(f"uses a possessive repetition, `{shown}`", "write it without the last `+`")
        least, most = _SIGNS[found["sign"]] if found["sign"] else _bounds(found)
        if part.may_be_empty:
            raise PatternRefused(
                f"repeats with `{shown}` what may be empty", "let the repeated part match at least one character"
            )
        if part.has_group and (least, most) != (0, 1):
            raise PatternRefused(f"repeats a group with `{shown}`", "repeat inside of the group, or write `(?:…)`")
        return _bounded(repeat(part, least, most, lazy=found["how"] == "?"))

    def _check_refused(self) -> None:
        for construct, what, hint in _REFUSED:
            found = construct.match(self._pattern, self._at)
            if found is not None:
                raise PatternRefused(f"uses {what}, `{found[0]}`", hint)

    def _next(self, token: re.Pattern[str]) -> re.Match[str] | None:
        found = token.match(self._pattern, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _take(self, token: str) -> bool:
        is_here = self._pattern.startswith(token, self._at)
        self._at += len(token) if is_here else 0
        return is_here


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    least = int(found["least"] or 0)
    if not found["to"]:
        return least, least
    return least, int(found["most"]) if found["most"] else None


def _bounded(part: PatternPart) -> PatternPart:
    if part.size > MAX_SIZE:
        hint = "repeat fewer times, or without an upper bound"
        raise PatternRefused(f"becomes more than {MAX_SIZE} instructions", hint)
    return part
