"""Goals: what a value must fit and what it must not."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.schema.comparison.reading import ARRAY, BOOLEAN, FRACTION, INTEGER, NULL, NUMBERS, OBJECT, STRING, WHOLE
from toolgen.schema.json_values import canonical, is_array, is_number, is_object, value_of

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Constraint, Schema


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
    return set(cast("tuple[bytes, ...]", inner.value)) <= set(cast("tuple[bytes, ...]", outer.value))


def are_none_among(one: Constraint, other: Constraint) -> bool:
    """Return whether the values of two constraints are certainly different; only of strings, booleans and null."""
    values = values_of(one)
    return all(isinstance(value, str | bool | None) for value in values) and set(
        cast("tuple[bytes, ...]", one.value)
    ).isdisjoint(cast("tuple[bytes, ...]", other.value))


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

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        self.values = [value for constraint in constraints for value in values_of(constraint)]
        self._keys = {_key(value) for value in self.values}

    def __contains__(self, value: Any) -> bool:
        """Return whether a value is certainly equal to one of them for a validator."""
        return _key(value) in self._keys


def _key(value: Any) -> bytes:
    """Return a text that only equal values have in common."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return canonical(int(value) if is_whole else value)


def fits(value: Any, schema: Schema) -> bool | None:
    """Return whether a value fits a schema that has only types and literal values; None if that is not certain."""
    known: list[bool | None] = [not schema.is_false]
    for each in schema.constraints:
        if each.name == "type":
            known.append(kind_of_value(value) in cast("frozenset[str]", each.value))
        elif each.name == "values":
            known.append(_is_one_of(value, each))
        else:
            return None
    return False if False in known else None if None in known else True


def _is_one_of(value: Any, constraint: Constraint) -> bool | None:
    if value in Literals([constraint]):
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
