"""Goals for arrays: their sizes, and the schemas of their items.

All items from an index on have the same schemas; `_Items.rest` is the first such index.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.schema.comparison.goal import IMPOSSIBLE, MOST_PARTS, Claim, Fact, Item, Outcome, Spot, joined
from toolgen.schema.comparison.scalars import size_bounds
from toolgen.schema.json_values import canonical, has_more_parts

if TYPE_CHECKING:
    from toolgen.schema.comparison.goal import Branch
    from toolgen.schema.comparison.reading import Constraint, Schema
    from toolgen.schema.comparison.solver import Solver

_LONGEST: Final = 300
"""Maximum items of a generated array."""


def solve_array(branch: Branch, solver: Solver) -> Outcome:
    """Solve a goal for an array."""
    items = _Items(branch, solver)
    return _solve(items, list(branch.of("items", holds=False)), {}, [])


def _solve(items: _Items, failing: Sequence[Fact], needed: dict[int, list[Item]], spots: list[Spot]) -> Outcome:
    """Choose, for each fact on items that fails, an item that shows it; `needed` has what they must fulfil."""
    if not failing:
        return items.outcome(needed, spots)
    return joined(_choices(items, failing, needed, spots))


def _choices(
    items: _Items, failing: Sequence[Fact], needed: dict[int, list[Item]], spots: list[Spot]
) -> Iterator[Outcome]:
    for index, claim in items.failures(failing[0].constraint, needed):
        chosen = {**needed, index: [*needed.get(index, ()), claim]}
        found = items.of(index, chosen[index])
        if not found.is_impossible:
            yield _solve(items, failing[1:], chosen, [*spots, *found.spots])


@dataclass(frozen=True, slots=True)
class _Count:
    """At least, or at most, so many items fit a schema."""

    count: int
    schema: Schema


class _Items:
    """The items of arrays of one branch."""

    def __init__(self, branch: Branch, solver: Solver) -> None:
        self._solver = solver
        self._holding = [fact.constraint for fact in branch.of("items")]
        all_ = [*self._holding, *(fact.constraint for fact in branch.of("items", holds=False))]
        self.rest = max((_shape(each)[0] for each in all_), default=0)
        self._least, self._most = size_bounds(branch, "minItems", "maxItems")
        self._at_least = [
            _Count(count, schema) for count, schema in _counts(branch, "atLeast", "atMost", 1) if count > 0
        ]
        self._at_most = [_Count(count, schema) for count, schema in _counts(branch, "atMost", "atLeast", -1)]
        self._is_unique = bool(branch.of("uniqueItems"))
        self._repeats = bool(branch.of("uniqueItems", holds=False))
        self._excluded = branch.excluded()
        self._bounds()

    def _bounds(self) -> None:
        """Narrow the bounds of the size by what the items must fulfil."""
        if self._repeats:
            self._least = max(self._least, 2)
        self._least = max([self._least, *(each.count for each in self._at_least)])
        none = [each for each in self._at_most if each.count < 0]
        if none:
            self._most = -1
        for index in range(self.rest + 1):
            if self._most is not None and self._most <= index:
                return
            if self.base(index) and self.of(index, ()).is_impossible:
                self._most = index
                return
        for each in self._at_most:
            if each.count and self._all_fit(each.schema):
                self._most = each.count if self._most is None else min(self._most, each.count)

    def _all_fit(self, schema: Schema) -> bool:
        return all(self.of(index, [Claim(schema, False)]).is_impossible for index in range(self.rest + 1))

    def base(self, index: int) -> list[Item]:
        """Return what each item at an index must fulfil."""
        claims: list[Item] = []
        for each in self._holding:
            count, has_rest = _shape(each)
            if index < count:
                claims.append(Claim(each.schemas[index], True))
            elif has_rest:
                claims.append(Claim(each.schemas[-1], True))
        claims += [Claim(each.schema, False) for each in self._at_most if each.count == 0]
        return claims

    def of(self, index: int, more: Sequence[Item]) -> Outcome:
        """Solve the goal of an item."""
        return self._solver.solve([*self.base(index), *more])

    def failures(self, constraint: Constraint, needed: Container[int]) -> Iterator[tuple[int, Claim]]:
        """Return the indexes at which a constraint can fail, and what an item there must fulfil.

        Of the items from `rest` on, these are the ones that are `needed` for something else, and one more.
        """
        count, has_rest = _shape(constraint)
        for index in range(count):
            yield index, Claim(constraint.schemas[index], False)
        if has_rest:
            last = self.rest
            while last in needed:
                last += 1
            for index in range(count, last + 1):
                yield index, Claim(constraint.schemas[-1], False)

    def outcome(self, needed: dict[int, list[Item]], spots: list[Spot]) -> Outcome:
        """Return whether there is an array whose items fulfil their goals."""
        least = max([self._least, *(index + 1 for index in needed)])
        if self._most is not None and least > self._most:
            return IMPOSSIBLE
        distinct = range(min(least, self.rest + 1))
        if any(self.base(index) and self.of(index, needed.get(index, ())).is_impossible for index in distinct):
            return IMPOSSIBLE
        for each in self._at_least:
            places = [index for index in range(self.rest + 1) if self._most is None or index < self._most]
            if all(self.of(index, [Claim(each.schema, True)]).is_impossible for index in places):
                return IMPOSSIBLE
            if any(each.count > other.count and self._implies(each.schema, other.schema) for other in self._at_most):
                return IMPOSSIBLE
        return Outcome(is_impossible=False, values=self._solver.made(self._arrays(needed, least)), spots=spots)

    def _implies(self, one: Schema, other: Schema) -> bool:
        claims = [Claim(one, True), Claim(other, False)]
        return all(self.of(index, claims).is_impossible for index in range(self.rest + 1))

    def _arrays(self, needed: dict[int, list[Item]], least: int) -> Iterator[list[Any]]:
        sizes = [least, least + 1, *([self._most] if self._most is not None else [])]
        for size in dict.fromkeys(sizes):
            if size <= _LONGEST and (self._most is None or size <= self._most):
                yield from (each for each in self._of_size(needed, size) if self._is_kept(each))

    def _is_kept(self, value: list[Any]) -> bool:
        return not has_more_parts(value, MOST_PARTS) and value not in self._excluded

    def _of_size(self, needed: dict[int, list[Item]], size: int) -> Iterator[list[Any]]:
        options = [self.of(min(index, self.rest) if index not in needed else index, needed.get(index, ())).values
                   for index in range(size)]  # fmt: skip
        wanted = [
            value for each in self._at_least for value in self.of(self.rest, [Claim(each.schema, True)]).values[:2]
        ]
        if not all(options):
            return
        first = [each[0] for each in options]
        if self._repeats:
            yield [first[-1]] * size
            yield [*first, *first[-1:]]
        if wanted:
            count = max(each.count for each in self._at_least)
            yield from (
                [*first[:index], *([value] * max(count, size - index))] for value in wanted for index in range(size)
            )
        yield _distinct(options) if self._is_unique else first
        if not self._is_unique:
            for index, each in enumerate(options):
                for value in each[1:]:
                    yield [*first[:index], value, *first[index + 1 :]]


def _distinct(options: Sequence[Sequence[Any]]) -> list[Any]:
    seen: set[bytes] = set()
    made: list[Any] = []
    for each in options:
        value = next((value for value in each if canonical(value) not in seen), each[0])
        seen.add(canonical(value))
        made.append(value)
    return made


def _counts(branch: Branch, name: str, other: str, offset: int) -> Iterator[tuple[int, Schema]]:
    """Return the counts of one name; one of the other that fails is one more, or one less, of this."""
    for fact in branch.of(name):
        yield cast("int", fact.constraint.value), fact.constraint.schemas[0]
    for fact in branch.of(other, holds=False):
        yield cast("int", fact.constraint.value) + offset, fact.constraint.schemas[0]


def _shape(constraint: Constraint) -> tuple[int, bool]:
    """Return how many schemas for the first items there are, and whether there is one for the rest."""
    return cast("tuple[int, bool]", constraint.value)
