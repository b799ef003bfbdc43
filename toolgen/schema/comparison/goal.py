"""Goals: what a value must fit and what it must not, and the branches in which it could."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.schema.comparison.reading import (
    ARRAY,
    BOOLEAN,
    FRACTION,
    INTEGER,
    NULL,
    NUMBERS,
    OBJECT,
    STRING,
    WHOLE,
    Constraint,
)
from toolgen.schema.json_values import canonical, is_array, is_number, is_object, value_of

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Fields, Schema


class BudgetError(Exception):
    """A comparison takes too many steps."""


MOST_STEPS: Final = 2_000_000
"""Steps of a comparison in one direction, or for one value of a test; each takes some 1 µs."""

WORK: Final = 10
"""Steps that it takes to split a claim or a fact, to look up the goal of a part, and to make a value."""


class Budget:
    """The steps that a comparison may take: one looks at one claim, fact or literal value."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take(self, steps: int = 1) -> None:
        """Take steps. Raises `BudgetError` if they are not left."""
        self._left -= steps
        if self._left < 0:
            raise BudgetError


# Literal values, of `enum` and `const`: which are certainly equal, and which are certainly different.

_EXACT: Final = 2**53
"""Integers below this are exact as floats."""


def values_of(constraint: Constraint) -> list[Any]:
    """Return the values of an `enum` or a `const`."""
    return [_parsed(text) for text in cast("tuple[bytes, ...]", constraint.value)]


@lru_cache(maxsize=10_000)
def _parsed(text: bytes) -> Any:
    return value_of(text)


def are_all_among(inner: Constraint, outer: Constraint) -> bool:
    """Return whether each value of one constraint is certainly a value of another."""
    return _texts(inner) <= _texts(outer)


def are_none_among(one: Constraint, other: Constraint) -> bool:
    """Return whether the values of two constraints are certainly different; only of strings, booleans and null."""
    return _texts(one).isdisjoint(_texts(other)) and all(
        isinstance(value, str | bool | None) for value in values_of(one)
    )


def _texts(constraint: Constraint) -> frozenset[bytes]:
    return _as_set(cast("tuple[bytes, ...]", constraint.value))


@lru_cache(maxsize=1_000)
def _as_set(texts: tuple[bytes, ...]) -> frozenset[bytes]:
    return frozenset(texts)


def are_different(one: Any, other: Any) -> bool:
    """Return whether two values are certainly different for a validator."""
    if is_number(one) and is_number(other):
        distance = abs(Fraction(one) - Fraction(other))
        return distance * 1_000_000 > abs(Fraction(one)) + abs(Fraction(other))
    if is_array(one) or is_object(one) or is_number(one) != is_number(other):
        return kind_of_value(one) != kind_of_value(other) and not (is_number(one) and is_number(other))
    return canonical(one) != canonical(other)


class Literals:
    """The values of some constraints."""

    def __init__(self, constraints: Iterable[Constraint], budget: Budget) -> None:
        self.values = [value for constraint in constraints for value in values_of(constraint)]
        budget.take(len(self.values))
        self._keys = {_key(value) for value in self.values}

    def __contains__(self, value: Any) -> bool:
        """Return whether a value is certainly equal to one of them for a validator."""
        return _key(value) in self._keys


def _key(value: Any) -> bytes:
    """Return a text that only equal values have in common."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return canonical(int(value) if is_whole else value)


def fits(value: Any, schema: Schema, budget: Budget) -> bool | None:
    """Return whether a value fits a schema that has only types and literal values; None if that is not certain.

    Raises `BudgetError` if it takes too many steps.
    """
    known: list[bool | None] = []
    for each in schema.constraints:
        if each.name == "type":
            known.append(kind_of_value(value) in cast("frozenset[str]", each.value))
        elif each.name == "values":
            known.append(_is_one_of(value, each, budget))
        else:
            return None
    return False if False in known else None if None in known else True


def _is_one_of(value: Any, constraint: Constraint, budget: Budget) -> bool | None:
    if value in Literals([constraint], budget):
        return True
    return False if all(are_different(value, each) for each in values_of(constraint)) else None


def kind_of_value(value: Any) -> str:
    """Return the kind of a value."""
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case float():
            return WHOLE if value.is_integer() else FRACTION
        case str():
            return STRING
        case list():
            return ARRAY
        case _:
            return OBJECT


def as_kind(value: Any, kind: str) -> Any:
    """Return a value as one of a kind, `NotImplemented` if it has another: a literal `1` stands for `1.0` too."""
    own = kind_of_value(value)
    if own == kind:
        return value
    if {own, kind} <= NUMBERS - {FRACTION} and abs(value) < _EXACT:
        return int(value) if kind == INTEGER else float(value)
    if {own, kind} <= NUMBERS - {FRACTION}:
        return value
    return NotImplemented


def has_numbers(value: Any) -> bool:
    """Return whether there is a number in an array or an object."""
    if is_array(value):
        return any(is_number(each) or has_numbers(each) for each in value)
    return is_object(value) and any(is_number(each) or has_numbers(each) for each in value.values())


MOST_PARTS: Final = 1_000
"""Parts of a value that is kept for a goal: values of schemas that repeat their parts grow exponentially."""


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

    def __post_init__(self) -> None:
        """Keep each place once: those of recursive schemas would double at each level."""
        self.spots = list(dict.fromkeys(self.spots))


IMPOSSIBLE = Outcome(is_impossible=True)


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of a goal that is open where one of these is, as far as the steps reach.

    Raises `BudgetError` if they end before one is open.
    """
    open_: list[Outcome] = []
    try:
        open_.extend(outcome for outcome in outcomes if not outcome.is_impossible)
    except BudgetError:
        if not open_:
            raise
    if not open_:
        return IMPOSSIBLE
    values = [value for outcome in open_ for value in outcome.values]
    return Outcome(is_impossible=False, values=values, spots=[spot for outcome in open_ for spot in outcome.spots])


def key_of_goal(items: Iterable[Item]) -> frozenset[Hashable]:
    """Return what goals with the same meaning have in common."""
    return frozenset((item.key, item.holds) for item in items)


# Branches: one way in which a value of one kind could reach a goal.
#
# A goal is split until only facts are left that do not hold alternatives. A branch in which a fact holds and does not
# is closed. Facts may be lost on the way, never added, so a goal without open branches is certainly impossible.

_COPIED: Final = 32
"""Claims, facts and clauses of a branch that are copied in a step."""

Clause: TypeAlias = Sequence[Sequence[Item]]
"""Alternatives, each of some items that are to hold together."""


class Facts:
    """Facts of one name that all hold, or all do not. Branches share them, and what is looked up in them."""

    def __init__(self, known: Iterable[Fact] = ()) -> None:
        self._by_key = {fact.key: fact for fact in known}

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._by_key.values())

    def __contains__(self, key: Hashable) -> bool:
        return key in self._by_key

    def add(self, fact: Fact) -> None:
        """Add a fact; not after something was looked up."""
        self._by_key[fact.key] = fact

    @cached_property
    def by_value(self) -> Mapping[Hashable, Sequence[Fact]]:
        """The facts by the values of their constraints, such as the names of properties."""
        found: dict[Hashable, list[Fact]] = {}
        for fact in self:
            found.setdefault(fact.constraint.value, []).append(fact)
        return found


_NO_FACTS: Final = Facts()


class Branch:
    """Claims and facts about a value of one kind, and the clauses that still hold alternatives."""

    def __init__(self, kind: str, budget: Budget) -> None:
        self.kind = kind
        self.claims: dict[Hashable, Claim] = {}
        self._facts: dict[tuple[str, bool], Facts] = {}
        self._own = set[tuple[str, bool]]()
        """Which of these no other branch has."""
        self.clauses: list[tuple[Clause, Claim | None]] = []
        self._budget = budget

    def copy(self) -> Branch:
        """Return a branch that can be extended independently."""
        self._budget.take(1 + (len(self.claims) + len(self._facts) + len(self.clauses)) // _COPIED)
        copied = Branch(self.kind, self._budget)
        copied.claims, copied._facts, copied.clauses = self.claims.copy(), self._facts.copy(), self.clauses.copy()
        self._own.clear()
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
                    self._budget.take(WORK)
                    waiting += self._split_claim(item) if isinstance(item, Claim) else self._split_fact(item)
            waiting = self._forced()
            if waiting == []:
                return True
        return False

    @property
    def facts(self) -> Iterator[Fact]:
        """All facts."""
        return chain.from_iterable(self._facts.values())

    def of(self, name: str, *, holds: bool = True) -> Facts:
        """Return the facts of one name."""
        return self._facts.get((name, holds), _NO_FACTS)

    def _add_fact(self, fact: Fact) -> None:
        where = fact.name, fact.holds
        if where not in self._own:
            shared = self.of(fact.name, holds=fact.holds)
            self._budget.take(len(shared) // _COPIED)
            self._facts[where] = Facts(shared)
            self._own.add(where)
        self._facts[where].add(fact)

    def excluded(self) -> Literals:
        """Return the values that are excluded one by one."""
        return Literals((fact.constraint for fact in self.of("values", holds=False)), self._budget)

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
            self._budget.take(len(alternative))
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
            return None if item.schema.constraints else item.holds
        for holds in (True, False):
            if item.key in self.of(item.name, holds=holds):
                return item.holds is holds
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
                self._budget.take(len(schemas) ** 2)
                self.clauses.append((_one_of(fact), None))
            case "if":
                when, then, otherwise = schemas
                self.clauses.append(
                    ([[Claim(when, True), Claim(then, holds)], [Claim(when, False), Claim(otherwise, holds)]], None)
                )
            case "dependentSchema" | "dependentRequired":
                return self._split_dependency(fact)
            case "unevaluatedProperties":
                self._add_fact(fact)
                return _implied_by_unevaluated(fact)
            case _:
                self._add_fact(fact)
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
