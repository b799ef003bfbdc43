"""Programs that match one line of text: the compiled form of tag patterns, run in linear time.

Python's engine tries all ways to match a text, possibly exponentially many. This one never tries the same instruction
at the same place twice: if it failed once it would fail again, because no instruction depends on earlier matches. So it
takes at most as many steps as instructions times places in the text, and finds the same match as Python's: the first
one, with greedy parts trying more before less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence


class Text(NamedTuple):
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


Instruction: TypeAlias = Text | One | Mark | Fork | End


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a pattern. `build` adds its instructions to a program, before a given one, and returns its first.

    `size` is the maximum number that it adds, including targets of forks. `words` are all the words it matches, if it
    only matches enumerated words.
    """

    size: int
    build: Callable[[list[Instruction], int], int]
    may_be_empty: bool = False
    has_group: bool = False
    words: tuple[str, ...] = ()


def text(literal: str) -> Part:
    """Return a part for literal text."""
    return Part(1, lambda program, then: _add(program, Text(literal, then)), words=(literal,))


def one(pattern: re.Pattern[str]) -> Part:
    """Return a part for one character of a class."""
    return Part(1, lambda program, then: _add(program, One(pattern, then)))


def sequence(parts: Sequence[Part]) -> Part:
    """Return a part for a sequence of parts."""
    if len(parts) == 1:
        return parts[0]

    def build(program: list[Instruction], then: int) -> int:
        for part in reversed(parts):
            then = part.build(program, then)
        return then

    return Part(
        sum(part.size for part in parts),
        build,
        may_be_empty=all(part.may_be_empty for part in parts),
        has_group=any(part.has_group for part in parts),
    )


def choice(parts: Sequence[Part]) -> Part:
    """Return a part for alternatives, the first that matches."""
    if len(parts) == 1:
        return parts[0]

    def build(program: list[Instruction], then: int) -> int:
        return _add(program, Fork(tuple(part.build(program, then) for part in parts)))

    return Part(
        sum(part.size + 1 for part in parts),
        build,
        may_be_empty=any(part.may_be_empty for part in parts),
        has_group=any(part.has_group for part in parts),
        words=tuple(word for part in parts for word in part.words) if all(part.words for part in parts) else (),
    )


def group(number: int, part: Part) -> Part:
    """Return a part for a capturing group. Groups are numbered from 0."""

    def build(program: list[Instruction], then: int) -> int:
        return _add(program, Mark(2 * number, part.build(program, _add(program, Mark(2 * number + 1, then)))))

    return Part(part.size + 2, build, may_be_empty=part.may_be_empty, has_group=True)


def repeat(part: Part, least: int, most: int | None, *, lazy: bool) -> Part:
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
    return Part(size, build, may_be_empty=not least, has_group=part.has_group)


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
            elif isinstance(instruction, Text):
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
