"""Branches: one way in which a value of one kind could reach a goal.

A goal is split until only facts are left that do not hold alternatives. A branch in which a fact holds and does not is
closed. Facts may be lost on the way, never added, so a goal without open branches is certainly impossible.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from toolgen.schema.comparison.reading import Constraint
from toolgen.schema.comparison.refutation.goal import Claim, Fact, Item, Literals, are_all_among, are_none_among

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Fields

Clause: TypeAlias = Sequence[Sequence[Item]]
"""Alternatives, each of some items that are to hold together."""


class BudgetError(Exception):
    """A comparison takes too many steps."""


class Budget:
    """The steps that a comparison may take."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take(self) -> None:
        """Take one step. Raises `BudgetError` if none is left."""
        self._left -= 1
        if self._left < 0:
            raise BudgetError


class Branch:
    """Claims and facts about a value of one kind, and the clauses that still hold alternatives."""

    def __init__(self, kind: str, budget: Budget) -> None:
        self.kind = kind
        self.claims: dict[Hashable, Claim] = {}
        self.facts: dict[Hashable, Fact] = {}
        self.clauses: list[tuple[Clause, Claim | None]] = []
        self._budget = budget

    def copy(self) -> Branch:
        """Return a branch that can be extended independently."""
        copied = Branch(self.kind, self._budget)
        copied.claims, copied.facts, copied.clauses = self.claims.copy(), self.facts.copy(), self.clauses.copy()
        return copied

    def add(self, items: Iterable[Item]) -> bool:
        """Add what is to hold; return whether the branch is still open."""
        waiting: list[Item] | None = list(items)
        while waiting is not None:
            while waiting:
                item = waiting.pop()
                known = self._known(item)
                if known is False:
                    return False
                if known is None:
                    self._budget.take()
                    waiting += self._split_claim(item) if isinstance(item, Claim) else self._split_fact(item)
            waiting = self._forced()
            if waiting == []:
                return True
        return False

    def of(self, name: str, *, holds: bool = True) -> Iterator[Fact]:
        """Return the facts of one name."""
        return (fact for fact in self.facts.values() if fact.name == name and fact.holds is holds)

    def excluded(self) -> Literals:
        """Return the values that are excluded one by one."""
        return Literals(fact.constraint for fact in self.of("values", holds=False))

    def _forced(self) -> list[Item] | None:
        """Simplify the clauses, and return the items of those that have one alternative; None if one has none."""
        forced: list[Item] = []
        left: list[tuple[Clause, Claim | None]] = []
        for clause, source in self.clauses:
            simpler = self._simplified(clause)
            if simpler is None:
                continue
            if not simpler:
                return None
            if len(simpler) == 1:
                forced += simpler[0]
            else:
                left.append((simpler, source))
        self.clauses = left
        return forced

    def _simplified(self, clause: Clause) -> Clause | None:
        """Return the alternatives that are possible; None if one of them holds already."""
        possible: list[Sequence[Item]] = []
        for alternative in clause:
            states = [self._known(item) for item in alternative]
            if all(states):
                return None
            if False not in states:
                possible.append(alternative)
        return possible

    def _known(self, item: Item) -> bool | None:
        """Return whether an item holds in this branch; None if that is open."""
        if isinstance(item, Claim):
            known = self.claims.get(item.key)
            if known is not None:
                return known.holds is item.holds
            if item.schema.is_false or not item.schema.constraints:
                return item.holds is not item.schema.is_false
            return None
        fact = self.facts.get(item.key)
        if fact is not None:
            return fact.holds is item.holds
        constraint = item.constraint
        if not constraint.applies_to(self.kind):
            return item.holds
        if item.name == "type":
            return (self.kind in cast("frozenset[str]", constraint.value)) is item.holds
        if item.name == "values":
            return self._known_values(item)
        return None

    def _known_values(self, item: Fact) -> bool | None:
        for fact in self.of("values"):
            if are_all_among(fact.constraint, item.constraint):
                return item.holds
            if are_none_among(fact.constraint, item.constraint):
                return not item.holds
        return None

    def _split_claim(self, claim: Claim) -> Iterable[Item]:
        self.claims[claim.key] = claim
        schema = claim.schema.behind()
        facts = [Fact(each, claim.holds, schema) for each in schema.constraints if each.applies_to(self.kind)]
        if claim.holds:
            return facts
        self.clauses.append(([[fact] for fact in facts], claim))
        return ()

    def _split_fact(self, fact: Fact) -> Iterable[Item]:
        schemas, holds = fact.constraint.schemas, fact.holds
        match fact.name:
            case "ref":
                return [Claim(schemas[0], holds)]
            case "allOf" | "anyOf":
                claims = [Claim(each, holds) for each in schemas]
                if (fact.name == "allOf") is holds:
                    return claims
                self.clauses.append(([[claim] for claim in claims], None))
            case "not":
                return [Claim(schemas[0], not holds)]
            case "oneOf":
                self.clauses.append((_one_of(fact), None))
            case "if":
                when, then, otherwise = schemas
                self.clauses.append(
                    ([[Claim(when, True), Claim(then, holds)], [Claim(when, False), Claim(otherwise, holds)]], None)
                )
            case "dependentSchema" | "dependentRequired":
                return self._split_dependency(fact)
            case "unevaluatedProperties":
                self.facts[fact.key] = fact
                return _implied_by_unevaluated(fact)
            case _:
                self.facts[fact.key] = fact
        return ()

    def _split_dependency(self, fact: Fact) -> Iterable[Item]:
        value = fact.constraint.value
        if fact.name == "dependentSchema":
            name = cast("str", value)
            wanted: list[Item] = [Claim(fact.constraint.schemas[0], fact.holds)]
        else:
            name, names = cast("tuple[str, tuple[str, ...]]", value)
            wanted = [fact.other(_required(each), holds=fact.holds) for each in names]
        if fact.holds:
            self.clauses.append(([[fact.other(_required(name), holds=False)], wanted], None))
            return ()
        self.clauses.append(([[each] for each in wanted], None))
        return [fact.other(_required(name))]


def _implied_by_unevaluated(fact: Fact) -> list[Item]:
    """Return what follows: fields that are certainly not evaluated fit, or one fails that may be not evaluated."""
    _, possible, certain = cast("tuple[object, Fields, Fields]", fact.constraint.value)
    fields = possible if fact.holds else certain
    if fields.are_all and fact.holds:
        return []
    schemas = (fact.constraint.schemas[0],)
    others = Constraint("others", (fields.names, fields.patterns), schemas, "unevaluatedProperties")
    return [fact.other(others, holds=fact.holds)]


def _required(name: str) -> Constraint:
    return Constraint("required", name, (), "required")


def _one_of(fact: Fact) -> Clause:
    """Return that one schema fits and no other, or that none fits, or one and another of those after it."""
    schemas = fact.constraint.schemas
    if fact.holds:
        return [[Claim(each, each is one) for each in schemas] for one in schemas]
    several: list[list[Item]] = [
        [Claim(each, True), fact.other(Constraint("anyOf", None, schemas[index:], "oneOf"))]
        for index, each in enumerate(schemas[:-1], 1)
    ]
    return [[Claim(each, False) for each in schemas], *several]
