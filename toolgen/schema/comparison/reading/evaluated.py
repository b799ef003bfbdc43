"""What is evaluated beside `unevaluatedProperties` and `unevaluatedItems`, where it does not depend on the value."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.schema.comparison.reading.constraint import Constraint

_DEEPEST: Final = 20
_FIELDS: Final = frozenset({"property", "pattern property", "others", "unevaluatedProperties"})
_ITEMS: Final = frozenset({"items", "atLeast", "atMost", "unevaluatedItems"})
_IN_PLACE: Final = frozenset({"ref", "allOf"})
_CHOICES: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchema"})


class Fields(NamedTuple):
    """The fields that are evaluated: by name, by pattern, or all."""

    names: frozenset[str]
    patterns: frozenset[str]
    are_all: bool

    def with_(self, constraint: Constraint) -> Fields:
        """Return these fields and those that a constraint evaluates."""
        match constraint.name:
            case "property":
                return self._replace(names=self.names | {cast("str", constraint.value)})
            case "pattern property":
                return self._replace(patterns=self.patterns | {cast("str", constraint.value)})
            case _:
                return self._replace(are_all=True)

    def and_(self, other: Fields) -> Fields:
        """Return these fields and others."""
        return Fields(self.names | other.names, self.patterns | other.patterns, self.are_all or other.are_all)


NO_FIELDS: Final = Fields(frozenset(), frozenset(), are_all=False)


def evaluated_fields(constraints: Iterable[Constraint]) -> Fields | None:
    """Return the fields that constraints evaluate; None if they depend on the value."""
    all_ = _together(constraints, _FIELDS)
    if all_ is None:
        return None
    return reduce(Fields.with_, all_, NO_FIELDS)


def possible_fields(constraints: Iterable[Constraint], depth: int = 0) -> Fields:
    """Return the fields that constraints may evaluate, depending on the value."""
    found = NO_FIELDS
    for each in constraints:
        if each.name == "opaque" or depth > _DEEPEST:
            return NO_FIELDS._replace(are_all=True)
        if each.name in _FIELDS:
            found = found.with_(each)
        elif each.name in _IN_PLACE or each.name in _CHOICES or each.name == "not":
            for schema in each.schemas:
                found = found.and_(possible_fields(schema.constraints, depth + 1))
    return found


def certain_fields(constraints: Iterable[Constraint], depth: int = 0) -> Fields:
    """Return the fields that constraints evaluate in each value that fits them."""
    found = NO_FIELDS
    for each in constraints:
        if each.name in _FIELDS:
            found = found.with_(each)
        elif each.name in _IN_PLACE and depth <= _DEEPEST:
            for schema in each.schemas:
                found = found.and_(certain_fields(schema.constraints, depth + 1))
    return found


def evaluated_items(constraints: Iterable[Constraint]) -> int | None:
    """Return how many of the first items constraints evaluate, -1 for all; None if it depends on the value."""
    all_ = _together(constraints, _ITEMS)
    if all_ is None or any(each.name != "items" for each in all_):
        return None
    counts = [cast("tuple[int, bool]", each.value) for each in all_]
    return -1 if any(has_rest for _, has_rest in counts) else max((count for count, _ in counts), default=0)


def _together(constraints: Iterable[Constraint], wanted: frozenset[str], depth: int = 0) -> list[Constraint] | None:
    """Return the wanted constraints that apply to the value in any case; None if there are others."""
    found: list[Constraint] = []
    for each in constraints:
        if each.name in wanted:
            found.append(each)
        elif each.name == "opaque" or depth > _DEEPEST:
            return None
        elif each.name in _IN_PLACE or each.name in _CHOICES:
            for schema in each.schemas:
                below = _together(schema.constraints, wanted, depth + 1)
                if below is None or (below and each.name in _CHOICES):
                    return None
                found += below
    return found
