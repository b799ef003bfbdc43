"""The solver: whether any value reaches a goal.

A goal that needs a part of its value to reach the same goal is impossible: a smallest such value would have a smaller
one inside. So a goal that is being solved is taken as impossible for the parts of its values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.schema.comparison.arrays import solve_array
from toolgen.schema.comparison.goal import (
    MOST_PARTS,
    MOST_STEPS,
    WORK,
    Branch,
    Budget,
    BudgetError,
    Claim,
    Fact,
    Item,
    Outcome,
    Spot,
    as_kind,
    fits,
    has_numbers,
    key_of_goal,
    kind_of_value,
    values_of,
)
from toolgen.schema.comparison.objects import solve_object
from toolgen.schema.comparison.reading import ARRAY, FRACTION, INTEGER, KINDS, OBJECT, STRING, WHOLE
from toolgen.schema.comparison.scalars import solve_number, solve_string
from toolgen.schema.json_values import has_more_parts

if TYPE_CHECKING:
    from toolgen.schema.comparison.goal import Clause
    from toolgen.schema.comparison.reading import Schema
    from toolgen.schema.comparison.validators import Validators

MOST_VALUES: Final = 8
"""Values that are kept for a goal."""

_DEEPEST: Final = 40
"""Maximum nesting of values that are followed."""

_SIMPLE: Final[tuple[Any, ...]] = (None, "a", 1, True, 0.5, [], {})
_NOT_ASSUMED: Final = sys.maxsize

_FEW: Final = 8
"""Alternatives of all clauses together up to which none is tested for being redundant."""


class _Active(NamedTuple):
    """A goal that is being solved, and how deep in the value."""

    key: frozenset[Hashable]
    kinds: Collection[str]
    level: int


class Solver:
    """Solves goals over the schemas of two documents, whose colours are known."""

    def __init__(self, *, has_draft_04: bool, validators: Validators, wants_values: bool) -> None:
        self.kinds = KINDS if has_draft_04 else tuple(kind for kind in KINDS if kind != WHOLE)
        self.validators = validators
        self.wants_values = wants_values
        self.budget = Budget(MOST_STEPS)
        self._known: dict[tuple[frozenset[Hashable], Collection[str]], Outcome] = {}
        self._active: list[_Active] = []
        self._level = 0
        self._assumed = _NOT_ASSUMED
        """The outermost goal, by its place in `_active`, that was taken as impossible."""

    def solve(self, items: Iterable[Item], kinds: Collection[str] | None = None) -> Outcome:
        """Solve a goal for a part of the value in question. Raises `BudgetError` if it takes too many steps."""
        self.budget.take(WORK)  # for what is known, too: the choices of parts are as many as their combinations
        self._level += 1
        try:
            return self.solve_here(list(items), kinds or self.kinds)
        finally:
            self._level -= 1

    def solve_here(
        self, items: Sequence[Item], kinds: Collection[str], accepts: Callable[[Any], bool] | None = None
    ) -> Outcome:
        """Solve a goal for the value in question; with `accepts`, until a value is accepted, which comes first then.

        Raises `BudgetError` if it takes too many steps.
        """
        if not items and accepts is None:
            return Outcome(is_impossible=False, values=[each for each in _SIMPLE if kind_of_value(each) in kinds])
        key = key_of_goal(items)
        known = self._known.get((key, kinds))
        if known is not None and accepts is None:
            return known
        if self._level >= _DEEPEST:
            return Outcome(is_impossible=False, spots=spots_of(items))
        outside, self._assumed = self._assumed, _NOT_ASSUMED
        self._active.append(_Active(key, kinds, self._level))
        try:
            outcome = self._solve(items, kinds, accepts)
        finally:
            self._active.pop()
            assumed, self._assumed = self._assumed, min(outside, self._assumed)
        if not outcome.is_impossible or assumed >= len(self._active):
            self._known[key, kinds] = outcome
        return outcome

    def made(self, values: Iterator[Any]) -> list[Any]:
        """Return values that may reach a goal, as far as the steps reach: one each; none if none are wanted."""
        made: list[Any] = []
        try:
            for value in values if self.wants_values else ():
                self.budget.take(WORK)
                made.append(value)
        except BudgetError:
            pass  # with fewer values nothing else is certain
        return made

    def _is_assumed(self, key: frozenset[Hashable], kinds: Collection[str]) -> bool:
        """Return whether a goal, or less, is being solved for a value around the one in question."""
        for place, active in enumerate(self._active):
            if active.level < self._level and active.key <= key and set(kinds) <= set(active.kinds):
                self._assumed = min(self._assumed, place)
                return True
        return False

    def _solve(self, items: Sequence[Item], kinds: Collection[str], accepts: Callable[[Any], bool] | None) -> Outcome:
        is_impossible, values, spots = True, list[Any](), list[Spot]()
        for kind in kinds:
            for branch in self._branches(Branch(kind, self.budget), items):
                outcome = self._solve_branch(branch)
                if outcome.is_impossible:
                    continue
                is_impossible = False
                spots += outcome.spots or spots_of(branch.claims.values(), branch.facts)
                for value in outcome.values:
                    if has_more_parts(value, MOST_PARTS):
                        continue
                    if accepts is None:
                        values.append(value)
                        if len(values) >= MOST_VALUES:
                            break
                    elif accepts(value):
                        return Outcome(is_impossible=False, values=[value])
                if not self.wants_values or (accepts is None and len(values) >= MOST_VALUES):
                    return Outcome(is_impossible=False, values=values, spots=spots)
        return Outcome(is_impossible, values, spots)

    def _branches(self, branch: Branch, items: Iterable[Item]) -> Iterator[Branch]:
        """Return the open branches without alternatives."""
        if not branch.add(items) or self._is_assumed(key_of_goal(branch.claims.values()), (branch.kind,)):
            return
        clause = self._chosen(branch)
        if clause is None:
            yield branch
            return
        for alternative in clause:
            yield from self._branches(branch.copy(), alternative)

    def _chosen(self, branch: Branch) -> Clause | None:
        """Take the clause with the fewest alternatives; leave out those that follow from what holds anyway."""
        size = 1
        for clause, _ in branch.clauses:
            size *= len(clause)
        if size > _FEW and len(branch.clauses) > 1:
            holding = [claim for claim in branch.claims.values() if claim.holds]
            branch.clauses = [
                (clause, source)
                for clause, source in branch.clauses
                if source is None or not self._is_redundant(source, holding, branch.kind)
            ]
        if not branch.clauses:
            return None
        chosen = min(branch.clauses, key=lambda each: len(each[0]))
        branch.clauses = [each for each in branch.clauses if each is not chosen]
        return chosen[0]

    def _is_redundant(self, source: Claim, holding: Sequence[Claim], kind: str) -> bool:
        """Return whether what holds excludes a schema, so that its negation says nothing more."""
        return self.solve_here([*holding, Claim(source.schema, True)], (kind,)).is_impossible

    def _solve_branch(self, branch: Branch) -> Outcome:
        literal = next(iter(branch.of("values")), None)
        if literal is not None:
            return self._of_literals(branch, values_of(literal.constraint))
        match branch.kind:
            case "null":
                return self._of_literals(branch, [None])
            case "boolean":
                return self._of_literals(branch, [False, True])
            case kind if kind in (INTEGER, WHOLE, FRACTION):
                return solve_number(branch)
            case kind if kind == STRING:
                return solve_string(branch)
            case kind if kind == ARRAY:
                return solve_array(branch, self)
            case kind:
                assert kind == OBJECT
                return solve_object(branch, self)

    def _of_literals(self, branch: Branch, values: Sequence[Any]) -> Outcome:
        """Return which of some values reach a goal: the validator decides."""
        excluded = branch.excluded()
        left: list[Any] = []
        is_open = False
        for value in values:
            typed = as_kind(value, branch.kind)
            if typed is NotImplemented or typed in excluded:
                continue
            if WHOLE in self.kinds and has_numbers(typed):
                is_open = True  # in draft 04, `[1]` also stands for `[1.0]`, which may be valid where it is not
            if all(self._fits(typed, claim.schema) is claim.holds for claim in branch.claims.values()):
                left.append(typed)
                if len(left) >= MOST_VALUES:
                    break
        is_open = is_open or bool(left)
        return Outcome(is_impossible=not is_open, values=left)

    def _fits(self, value: Any, schema: Schema) -> bool:
        known = fits(value, schema, self.budget)
        return self.validators.is_valid(schema, value) if known is None else known


def spots_of(*groups: Iterable[Item]) -> list[Spot]:
    """Return the places of a goal that fails: the last schema that holds, and each that must not."""
    items = [item for group in groups for item in group]
    holds = next((item.schema.pointer for item in items if item.holds), "")
    failing = [item for item in items if not item.holds]
    facts = [item for item in failing if isinstance(item, Fact)]
    return [
        Spot(holds, item.schema.pointer, item.constraint.keyword if isinstance(item, Fact) else "")
        for item in facts or failing
    ]
