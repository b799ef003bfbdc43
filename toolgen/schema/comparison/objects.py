"""Goals for objects: which fields there are, and the schemas of their values and names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.schema.comparison.goal import IMPOSSIBLE, Claim, Fact, Item, Outcome, joined, values_of
from toolgen.schema.comparison.patterns import matches
from toolgen.schema.comparison.reading import STRING, Constraint
from toolgen.schema.comparison.scalars import size_bounds
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.schema.comparison.goal import Branch
    from toolgen.schema.comparison.solver import Solver


# The fields of objects of one branch: what the value of each must fulfil, and which there can be.
#
# A field is one that the branch names, or any other one. Others are told apart by the patterns that match their
# names.

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
        self._properties = branch.of("property").by_value
        self._patterns = [fact.constraint for fact in branch.of("pattern property")]
        self._others = [fact.constraint for fact in branch.of("others")]
        self._names = [Claim(fact.constraint.schemas[0], True) for fact in branch.of("propertyNames")]
        self._mentioning = [branch.of(name, holds=holds) for name in _MENTIONING for holds in (True, False)]
        self.required = cast("Mapping[str, Sequence[Fact]]", branch.of("required").by_value)
        self.absent = cast("Mapping[str, Sequence[Fact]]", branch.of("required", holds=False).by_value)

    @cached_property
    def names(self) -> Collection[str]:
        """All names that the branch mentions."""
        facts = chain.from_iterable(self._mentioning)
        names = dict.fromkeys(chain.from_iterable(map(_names_of, facts)))
        self._solver.budget.take(len(names))
        return names

    @cached_property
    def _all_patterns(self) -> Sequence[str]:
        return tuple(dict.fromkeys(chain.from_iterable(map(_patterns_of, chain.from_iterable(self._mentioning)))))

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
        named = self._properties.get(key, ())
        claims: list[Item] = [Claim(fact.constraint.schemas[0], True) for fact in named]
        claims += [
            Claim(each.schemas[0], True) for each in self._patterns if self.is_matched(key, cast("str", each.value))
        ]
        claims += [Claim(each.schemas[0], True) for each in self._others if self.is_other(key, each)]
        return claims

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


def _names_of(fact: Fact) -> Iterable[str]:
    match fact.name:
        case "property" | "required":
            return [cast("str", fact.constraint.value)]
        case "others":
            return sorted(others_of(fact.constraint)[0])
        case "propertyNames":
            below = (each for each in fact.constraint.schemas[0].constraints if each.name == "values")
            return [value for each in below for value in values_of(each) if isinstance(value, str)]
        case _:
            return ()


def _patterns_of(fact: Fact) -> Iterable[str]:
    match fact.name:
        case "pattern property":
            return [cast("str", fact.constraint.value)]
        case "others":
            return sorted(others_of(fact.constraint)[1])
        case _:
            return ()


def others_of(constraint: Constraint) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names and the patterns of the fields that are not among the others."""
    return cast("tuple[frozenset[str], frozenset[str]]", constraint.value)


_MOST_FIELDS: Final = 300
"""Maximum fields of a generated object."""

_MENTIONING: Final = ("property", "required", "others", "propertyNames", "pattern property")
"""Facts that mention names or patterns of names."""

_FAILING: Final = ("property", "pattern property", "others", "propertyNames")


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that shows that a constraint fails: what its value and its name must fulfil."""

    key: Key
    value: tuple[Claim, ...] = ()
    name: tuple[Claim, ...] = ()


def solve_object(branch: Branch, solver: Solver) -> Outcome:
    """Solve a goal for an object."""
    fields = Fields(branch, solver)
    if not fields.absent.keys().isdisjoint(fields.required):
        return IMPOSSIBLE
    failing = [fact for name in _FAILING for fact in branch.of(name, holds=False)]
    return _solve(_Objects(branch, solver, fields), failing, ())


def _solve(objects: _Objects, failing: Sequence[Fact], chosen: tuple[_Field, ...]) -> Outcome:
    """Choose, for each fact on fields that fails, a field that shows it."""
    if not failing:
        return objects.outcome(chosen)
    return joined(
        _solve(objects, failing[1:], (*chosen, field))
        for field in _candidates(failing[0], objects.fields)
        if objects.can_have(field, chosen)
    )


def _candidates(fact: Fact, fields: Fields) -> Iterator[_Field]:
    """Return the fields that can show that a constraint fails."""
    fails = (Claim(fact.constraint.schemas[0], False),)
    if fact.name == "property":
        yield _Field(cast("str", fact.constraint.value), fails)
        return
    keys: list[Key] = [*fields.names, *fields.others]
    match fact.name:
        case "pattern property":
            pattern = cast("str", fact.constraint.value)
            yield from (_Field(key, fails) for key in keys if fields.is_matched(key, pattern) is not False)
        case "others":
            yield from (_Field(key, fails) for key in keys if fields.is_other(key, fact.constraint) is not False)
        case _:
            yield from (_Field(key, (), fails) for key in keys)


class _Objects:
    """The objects of one branch."""

    def __init__(self, branch: Branch, solver: Solver, fields: Fields) -> None:
        self.fields = fields
        self._solver = solver
        self._least, self._most = size_bounds(branch, "minProperties", "maxProperties")
        self._excluded = branch.excluded()

    def can_have(self, field: _Field, chosen: Sequence[_Field]) -> bool:
        """Return whether a field can be there, with what the chosen ones ask of it; False is certain."""
        if field.key in self.fields.absent:
            return False
        same = [each for each in chosen if each.key == field.key] if isinstance(field.key, str) else []
        value = [claim for each in (field, *same) for claim in each.value]
        name = [claim for each in (field, *same) for claim in each.name]
        has_name = bool(name or self.fields.has_names or isinstance(field.key, Other))
        return not self.fields.value_of(field.key, value).is_impossible and not (
            has_name and self.fields.name_of(field.key, name).is_impossible
        )

    def outcome(self, chosen: Sequence[_Field]) -> Outcome:
        """Return whether there is an object with the chosen fields, and all required ones."""
        fields = self.fields
        named = {field.key for field in chosen if isinstance(field.key, str)}
        present = [*fields.required, *sorted(named.difference(fields.required))]
        needs_other = any(isinstance(field.key, Other) for field in chosen)
        if self._most is not None and max(len(present) + needs_other, self._least) > self._most:
            return IMPOSSIBLE
        if any(not fields.can_have(name) for name in present):
            return IMPOSSIBLE
        if self._least > len(present):
            possible = [name for name in fields.names if name in present or fields.can_have(name)]
            if len(possible) < self._least and not any(map(fields.can_have, fields.others)):
                return IMPOSSIBLE
        spots = [spot for field in chosen for spot in self._claims_of(field, chosen).spots]
        values = self._solver.made(self._objects(present, chosen))
        return Outcome(is_impossible=False, values=values, spots=spots)

    def _claims_of(self, field: _Field, chosen: Sequence[_Field]) -> Outcome:
        same = [each for each in chosen if each.key == field.key]
        return self.fields.value_of(field.key, [claim for each in same for claim in each.value])

    def _objects(self, present: Sequence[str], chosen: Sequence[_Field]) -> Iterator[dict[str, Any]]:
        made = self._made(present, chosen)
        if made is None:
            return
        options, first = made
        for candidate in self._varied(options, first):
            filled = self._filled(candidate)
            if filled is not None and filled not in self._excluded:
                yield filled

    def _made(
        self, present: Sequence[str], chosen: Sequence[_Field]
    ) -> tuple[dict[str, Sequence[Any]], dict[str, Any]] | None:
        options: dict[str, Sequence[Any]] = {}
        for name in present:
            claims = [claim for field in chosen if field.key == name for claim in field.value]
            options[name] = self.fields.value_of(name, claims).values
        for field in chosen:
            if isinstance(field.key, Other):
                names = [name for name in self.fields.name_of(field.key, field.name).values if name not in options]
                if not names:
                    return None
                options[names[0]] = self.fields.value_of(field.key, field.value).values
        if not all(options.values()) or len(options) > _MOST_FIELDS:
            return None
        return options, {name: values[0] for name, values in options.items()}

    def _varied(self, options: dict[str, Sequence[Any]], first: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Return the first object, those with another value in one field, and one with all fields."""
        yield first
        for name, values in options.items():
            for value in values[1:]:
                yield {**first, name: value}
        everything = dict(first)
        for name in self.fields.names:
            if name not in first and self.fields.can_have(name) and len(everything) < _MOST_FIELDS:
                values = self.fields.value_of(name).values
                if values:
                    yield {**first, name: values[0]}
                    everything[name] = values[0]
        if len(everything) > len(first) and (self._most is None or len(everything) <= self._most):
            yield everything

    def _filled(self, made: dict[str, Any]) -> dict[str, Any] | None:
        """Return an object with enough fields; None if there are too few that can be added."""
        if self._most is not None and len(made) > self._most:
            return None
        filled = dict(made)
        if self._least > _MOST_FIELDS:
            return None
        keys: list[Key] = [*self.fields.names, *self.fields.others]
        for key in keys:
            if len(filled) >= self._least:
                return filled
            if key in filled or not self.fields.can_have(key):
                continue
            values = self.fields.value_of(key).values
            names = [key] if isinstance(key, str) else self.fields.name_of(key).values
            if isinstance(key, Other) and names:
                names = [*names, *(f"{names[0]}{index}" for index in range(self._least))]
            for name in names[: self._least]:
                if values and len(filled) < self._least:
                    filled.setdefault(name, values[0])
        return filled if len(filled) >= self._least else None
