"""The fields of objects of one branch: what the value of each must fulfil, and which there can be.

A field is one that the branch names, or any other one. Others are told apart by the patterns that match their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from toolgen.schema.comparison.patterns.matching import matches
from toolgen.schema.comparison.reading.constraint import STRING, Constraint
from toolgen.schema.comparison.refutation.goal import Claim, Fact, Item, Outcome
from toolgen.schema.comparison.refutation.literal_values import values_of
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.schema.comparison.refutation.branch import Branch
    from toolgen.schema.comparison.refutation.solver import Solver

MOST_PATTERNS: Final = 4
"""Patterns of names by which other fields are told apart; of 16 combinations, most are impossible."""


@dataclass(frozen=True, slots=True)
class Other:
    """A field that the branch does not name, and the patterns that match its name; None if they are not known."""

    matched: frozenset[str] | None


Key: TypeAlias = str | Other


class Fields:
    """The fields of the objects of one branch."""

    def __init__(self, branch: Branch, solver: Solver) -> None:
        self._solver = solver
        self._origin = next(iter(branch.claims.values())).schema
        facts = [fact for fact in branch.facts.values() if fact.name != "values"]
        self._properties = list(branch.of("property"))
        self._patterns = [fact.constraint for fact in branch.of("pattern property")]
        self._others = [fact.constraint for fact in branch.of("others")]
        self._names = [Claim(fact.constraint.schemas[0], True) for fact in branch.of("propertyNames")]
        self.names = dict.fromkeys(self._all_names(facts))
        """All names that the branch mentions, in the order of appearance."""
        self._all_patterns = tuple(dict.fromkeys(self._patterns_of(facts)))
        self.required = list(dict.fromkeys(cast("str", fact.constraint.value) for fact in branch.of("required")))
        self.absent = {cast("str", fact.constraint.value) for fact in branch.of("required", holds=False)}

    @cached_property
    def others(self) -> list[Other]:
        """The fields beside the named ones that there can be."""
        if len(self._all_patterns) > MOST_PATTERNS:
            return [Other(None)]
        made: list[Other] = []
        for chosen in product((False, True), repeat=len(self._all_patterns)):
            matched = frozenset(name for name, is_in in zip(self._all_patterns, chosen, strict=True) if is_in)
            if not self.name_of(Other(matched), ()).is_impossible:
                made.append(Other(matched))
        return made

    @property
    def has_names(self) -> bool:
        """Whether the names must fulfil something."""
        return bool(self._names)

    def base(self, key: Key) -> list[Item]:
        """Return what the value of a field must fulfil if it is there."""
        claims = [Claim(fact.constraint.schemas[0], True) for fact in self._properties if fact.constraint.value == key]
        claims += [
            Claim(each.schemas[0], True) for each in self._patterns if self.is_matched(key, cast("str", each.value))
        ]
        claims += [Claim(each.schemas[0], True) for each in self._others if self.is_other(key, each)]
        return list(claims)

    def is_matched(self, key: Key, pattern: str) -> bool | None:
        """Return whether a pattern matches the name of a field; None if that is not known."""
        if isinstance(key, str):
            return matches(pattern, key)
        return None if key.matched is None else pattern in key.matched

    def is_other(self, key: Key, constraint: Constraint) -> bool | None:
        """Return whether a field is neither among the names nor matched by the patterns of a constraint."""
        names, patterns = others_of(constraint)
        if key in names:
            return False
        found = [self.is_matched(key, pattern) for pattern in patterns]
        return False if True in found else None if None in found else True

    def value_of(self, key: Key, more: Sequence[Item] = ()) -> Outcome:
        """Solve the goal of the value of a field."""
        return self._solver.solve([*self.base(key), *more])

    def name_of(self, key: Key, more: Sequence[Claim] = ()) -> Outcome:
        """Solve the goal of the name of a field."""
        origin = self._origin
        if isinstance(key, str):
            fixed = Fact(Constraint("values", (canonical(key),)), True, origin)
            return self._solver.solve([fixed, *self._names, *more], (STRING,))
        taken = Fact(Constraint("values", tuple(sorted(map(canonical, self.names)))), False, origin)
        patterns = [
            Fact(Constraint("pattern", pattern), pattern in (key.matched or ()), origin)
            for pattern in (self._all_patterns if key.matched is not None else ())
        ]
        return self._solver.solve([taken, *patterns, *self._names, *more], (STRING,))

    def can_have(self, key: Key) -> bool:
        """Return whether a field can be there; False is certain."""
        if key in self.absent:
            return False
        if (self._names or isinstance(key, Other)) and self.name_of(key).is_impossible:
            return False
        return not (self.base(key) and self.value_of(key).is_impossible)

    def _all_names(self, facts: Sequence[Fact]) -> Iterator[str]:
        for fact in facts:
            if fact.name in ("property", "required"):
                yield cast("str", fact.constraint.value)
            elif fact.name == "others":
                yield from sorted(others_of(fact.constraint)[0])
            elif fact.name == "propertyNames":
                for below in fact.constraint.schemas[0].constraints:
                    if below.name == "values":
                        yield from (value for value in values_of(below) if isinstance(value, str))

    def _patterns_of(self, facts: Sequence[Fact]) -> Iterator[str]:
        for fact in facts:
            if fact.name == "pattern property":
                yield cast("str", fact.constraint.value)
            elif fact.name == "others":
                yield from sorted(others_of(fact.constraint)[1])


def others_of(constraint: Constraint) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names and the patterns of the fields that are not among the others."""
    return cast("tuple[frozenset[str], frozenset[str]]", constraint.value)
