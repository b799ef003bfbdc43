"""Goals: what a value must fit and what it must not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from toolgen.schema.comparison.reading.constraint import Constraint, Schema


@dataclass(frozen=True, slots=True)
class Claim:
    """A schema that a value must fit, or must not."""

    schema: Schema
    holds: bool

    @property
    def key(self) -> Hashable:
        """What equal claims have in common."""
        return self.schema.colour


@dataclass(frozen=True, slots=True)
class Fact:
    """A constraint that a value must fit, or must not; `schema` is where it is written."""

    constraint: Constraint
    holds: bool
    schema: Schema

    @property
    def key(self) -> Hashable:
        """What equal facts have in common."""
        return self.constraint.key

    @property
    def name(self) -> str:
        """The name of the constraint."""
        return self.constraint.name

    def other(self, constraint: Constraint, *, holds: bool = True) -> Fact:
        """Return a fact that follows from this one."""
        return Fact(constraint, holds, self.schema)


Item: TypeAlias = Claim | Fact


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value could be that fits the one schema and not the other: pointers, and the keyword of the latter."""

    holds: str
    fails: str
    keyword: str


@dataclass(slots=True)
class Outcome:
    """What is known of a goal: that no value reaches it, or some values that may, and where it could not be decided."""

    is_impossible: bool
    values: list[Any] = field(default_factory=list[Any])
    spots: list[Spot] = field(default_factory=list[Spot])


IMPOSSIBLE = Outcome(is_impossible=True)


def key_of_goal(items: Iterable[Item]) -> frozenset[Hashable]:
    """Return what goals with the same meaning have in common."""
    return frozenset((item.key, item.holds) for item in items)
