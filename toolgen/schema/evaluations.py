"""The maximum cost of validating a given value, and of listing its errors.

Each place in the value is visited once, independent of the number of paths through the schema. It is counted as if
every alternative were tried, every pattern matched, and everything were invalid.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.bounds import Reach, Times
from toolgen.schema.graph import IN_PLACE_KEYWORDS
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from toolgen.schema.graph import Schema, SchemaGraph

MAX_EVALUATIONS: Final = 1_000_000
"""Maximum schemas applied to a value and its parts. jsonschema-rs 0.60 takes 20 to 60 ns for each, so 60 ms."""

_MAX_ERRORS: Final = 10_000
"""Maximum errors listed: jsonschema-rs 0.60 lists all or the first, and takes 10 to 20 µs for each, so 200 ms."""

_MAX_LOOKED_AT: Final = 100_000
"""Schemas applied to places that are counted: each takes 1 to 2 µs."""

_VALUES_PER_ERROR: Final = 40
"""An error has a copy of its value; this many values in it take as long as the error itself."""

_OPTIONS_PER_ERROR: Final = 300
"""The same of the options of an `enum`."""

_ALTERNATIVES: Final = ("anyOf", "oneOf")
_BESIDE_ALTERNATIVES: Final = IN_PLACE_KEYWORDS.difference(_ALTERNATIVES)
_SILENT: Final = frozenset({
    *("$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "default", "definitions", "deprecated"),
    *("description", "examples", "readOnly", "title", "writeOnly", "properties"),
})  # fmt: skip
"""Keywords that report nothing themselves."""


class Listing(Enum):
    """What a validator can list in bounded time."""

    ALL = auto()
    FIRST = auto()
    NONE = auto()


def evaluations(reach: Reach, value: Any, start: Schema | None = None, *, most: int = MAX_EVALUATIONS) -> int:
    """Count the schemas applied to a value and its parts, up to just above `most`.

    The value is validated against the whole schema, or its part `start`.
    """
    total = 0
    stack = [(value, Times({reach.key(start or reach.graph.root): 1}))]
    while stack and total <= most:
        here, roots = stack.pop()
        times = _together(reach, roots)
        total += sum(times.values())
        stack += _below(reach, here, times)
    return total


def listing(graph: SchemaGraph, value: Any) -> Listing:
    """Return which errors of a value can be listed.

    If no alternative fits, the first error has the errors of each alternative. So if not all can be listed, the first
    can if each set of alternatives could.
    """
    reach, plain = Reach(graph), Reach(graph, _BESIDE_ALTERNATIVES)
    errors, total, looked_at = [0.0], 0.0, 0
    stack = [(value, Times({plain.key(graph.root): 1}), 0)]
    while stack:
        here, roots, set_ = stack.pop()
        used = reach if set_ else plain
        times = _together(used, roots)
        looked_at += len(times)
        if set_ or total <= _MAX_ERRORS:
            found = _errors(used, times, here)
            errors[set_] += found
            total += found
        if (set_ and errors[set_] > _MAX_ERRORS) or looked_at > _MAX_LOOKED_AT:
            return Listing.NONE if graph.has_alternatives else Listing.FIRST
        for branches in () if set_ else _alternatives(plain, reach, times):
            stack.append((here, branches, len(errors)))
            errors.append(0.0)
        stack += [(part, below, set_) for part, below in _below(used, here, times)]
    return Listing.ALL if total <= _MAX_ERRORS else Listing.FIRST


def _alternatives(plain: Reach, reach: Reach, times: Times) -> Iterator[Times]:
    """Return the sets of alternatives of some schemas, each with how often its members are applied."""
    for key, count in times.items():
        found = Times()
        for keyword, each in plain.graph.in_place(plain.schemas[key]):
            if keyword in _ALTERNATIVES:
                found[reach.key(each)] += count
        if found:
            yield found


def _errors(reach: Reach, times: Times, value: Any) -> float:
    """Return the maximum number of errors of one value itself, in units of a usual error."""
    errors = sum(_errors_of(reach.schemas[key]) * count for key, count in times.items())
    return errors * (1 + _size(value) / _VALUES_PER_ERROR)


def _errors_of(schema: Schema) -> float:
    errors = float(len(schema.keys() - _SILENT))
    for keyword, size in (("required", 1), ("enum", _OPTIONS_PER_ERROR)):
        listed = schema.get(keyword)
        errors += len(listed) / size if is_array(listed) else 0
    return errors


def _size(value: Any) -> int:
    """Return the number of values in a value, including itself, up to a limit."""
    total, stack = 0, [value]
    while stack and total < _MAX_LOOKED_AT:
        total += 1
        part = stack.pop()
        stack.extend(part.values() if is_object(part) else part if is_array(part) else ())
    return total


def _together(reach: Reach, roots: Times) -> Times:
    """Return all schemas applied to a value together with some."""
    if len(roots) == 1:
        ((key, count),) = roots.items()
        if count == 1:
            return reach.with_schema(key)
    total = Times()
    for key, count in roots.items():
        for each, times in reach.with_schema(key).items():
            total[each] += count * times
    return total


def _below(reach: Reach, value: Any, times: Times) -> Iterator[tuple[Any, Times]]:
    """Return the parts of a value, including names of fields, with the schemas applied to them."""
    found: dict[Any, tuple[Any, Times]] = {}

    def add(place: Any, part: Any, schema: Schema, count: int) -> None:
        found.setdefault(place, (part, Times()))[1][reach.key(schema)] += count

    for key, count in times.items():
        schemas = reach.graph.below(reach.schemas[key])
        if is_object(value):
            for name in value:
                if name in schemas.fields:
                    add(name, value[name], schemas.fields[name], count)
                for each, named in (*schemas.other_fields, *schemas.some_fields):
                    if name not in named:
                        add(name, value[name], each, count)
                for each in schemas.names:
                    add((name,), name, each, count)
        elif is_array(value):
            for index, each in schemas.places.items():
                if index < len(value):
                    add(index, value[index], each, count)
            for each, first in schemas.items:
                for index in range(first, len(value)):
                    add(index, value[index], each, count)
    yield from found.values()
