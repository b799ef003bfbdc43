"""Programs that match one line of text: what tag patterns become, and how they are run in linear time.

Python's own engine tries the ways to read a text one after the other, and there may be as many as the text has subsets.
This one never tries the same instruction at the same place twice: where it failed once it fails again, as no
instruction looks at what was matched before. So the steps it takes are at most those of the program, once for each
place in the text, and it finds what Python's would: of all ways to read the text the first, where greedy parts try more
before less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence


class Text(NamedTuple):
    """The text must stand here."""

    text: str
    then: int


class One(NamedTuple):
    """One character that the pattern takes, which takes one at a time."""

    pattern: re.Pattern[str]
    then: int


class Mark(NamedTuple):
    """Remember the place: groups begin at even slots, and end at the odd ones after them."""

    slot: int
    then: int


class Fork(NamedTuple):
    """Go on at the first of these from where the rest of the text can be read."""

    targets: tuple[int, ...]


class End(NamedTuple):
    """Here the text must end."""


Instruction: TypeAlias = Text | One | Mark | Fork | End


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a pattern. `build` adds its instructions to a program, to be followed by another, and gives its first.

    `size` bounds how many it adds, the targets of forks counted with them. `words` are all it can be, where it is one
    of some words and nothing else.
    """

    size: int
    build: Callable[[list[Instruction], int], int]
    may_be_empty: bool = False
    has_group: bool = False
    words: tuple[str, ...] = ()


def text(literal: str) -> Part:
    """Make a part of fixed text."""
    return Part(1, lambda program, then: _add(program, Text(literal, then)), words=(literal,))


def one(pattern: re.Pattern[str]) -> Part:
    """Make a part of one character out of a class."""
    return Part(1, lambda program, then: _add(program, One(pattern, then)))


def sequence(parts: Sequence[Part]) -> Part:
    """Make a part of parts that follow each other."""
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
    """Make a part that is one of some, the first that fits."""
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
    """Make a part whose text is remembered. Groups are numbered from 0."""

    def build(program: list[Instruction], then: int) -> int:
        return _add(program, Mark(2 * number, part.build(program, _add(program, Mark(2 * number + 1, then)))))

    return Part(part.size + 2, build, may_be_empty=part.may_be_empty, has_group=True)


def repeat(part: Part, least: int, most: int | None, *, lazy: bool) -> Part:
    """Make a part that is there `least` times and at most `most`, if there is a most; as often as can be, unless lazy.

    The part itself must not be able to be empty.
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
    """Match a whole text. Give what its groups caught, empty where they took no part; None if it does not match."""
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
