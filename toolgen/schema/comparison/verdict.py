"""Results of a comparison of two schemas: for each direction a verdict, and what shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """Whether there are values that one schema accepts and the other rejects."""

    NONE = "none"
    """There are certainly none."""
    FOUND = "found"
    """There is at least one: a counterexample was found, and checked with the validator."""
    UNDECIDED = "undecided"
    """Neither was shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of both schemas, by JSON pointers, and the keyword that matters there; empty if it is no single one."""

    before: str
    after: str
    keyword: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A value that one schema accepts and the other rejects.

    `pointer` leads to the part of the value that is rejected; `place` to the keyword that rejects it, and to the part
    of the other schema that accepts it. `is_given` tells whether it was among the given instances.
    """

    value: Any
    pointer: str
    place: Place
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a comparison. `undecided` has the places that could not be decided, of `UNDECIDED` only."""

    verdict: Verdict
    counterexample: Counterexample | None = None
    undecided: tuple[Place, ...] = ()


class SchemaChange(StrEnum):
    """How the values that a new schema accepts relate to those of an old one."""

    SAME = "same"
    MORE = "more"
    FEWER = "fewer"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`lost` are the values that were valid before and are not after, `gained` those that became valid."""

    lost: Direction
    gained: Direction

    @property
    def change(self) -> SchemaChange:
        """The change of accepted values, as far as it is certain: `MORE` if none is lost and some may be gained."""
        match self.lost.verdict, self.gained.verdict:
            case Verdict.NONE, Verdict.NONE:
                return SchemaChange.SAME
            case Verdict.NONE, _:
                return SchemaChange.MORE
            case _, Verdict.NONE:
                return SchemaChange.FEWER
            case _:
                return SchemaChange.OTHER
