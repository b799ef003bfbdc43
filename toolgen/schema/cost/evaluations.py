"""What it costs at the most to check a value at hand, and to list what is wrong with it.

Each place in the value is looked at once, however many ways lead through the schema to it. It is counted as if every
alternative were tried, every pattern matched, and everything were wrong.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.cost.count import Reach, Times
from toolgen.schema.cost.graph import IN_PLACE_KEYWORDS
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.schema.cost.graph import Schema, SchemaGraph

MAX_EVALUATIONS: Final = 1_000_000
"""Schemas that may be applied to a value and all in it. jsonschema-rs 0.60 takes 20 to 60 ns for each, so 60 ms."""

_MAX_ERRORS: Final = 10_000
"""Errors that may be listed: jsonschema-rs 0.60 lists all or the first, and takes 10 to 20 µs for each, so 200 ms."""

_MAX_LOOKED_AT: Final = 100_000
"""Schemas applied to places that are counted: each takes 1 to 2 µs."""

_VALUES_PER_ERROR: Final = 40
"""An error holds a copy of the value that it is about; so many values in it take as long as the error itself."""

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
    """What can be asked of a validator in bounded time."""

    ALL = auto()
    FIRST = auto()
    NONE = auto()


def evaluations(reach: Reach, value: Any, start: Schema | None = None, *, most: int = MAX_EVALUATIONS) -> int:
    """Count the schemas that are applied to a value and all in it: up to `most`, and to what passes it.

    The value is one of the whole schema, or of the part of it that is `start`.
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
    """Say what can be listed of all that is wrong with a value.

    The first error holds what is wrong with each alternative, where it is that none of them fits. So where not all can
    be listed, the first can if each set of alternatives alone could.
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
    """The sets of alternatives that some schemas have, each with how often its members are applied."""
    for key, count in times.items():
        found = Times()
        for keyword, each in plain.graph.in_place(plain.schemas[key]):
            if keyword in _ALTERNATIVES:
                found[reach.key(each)] += count
        if found:
            yield found


def _errors(reach: Reach, times: Times, value: Any) -> float:
    """How many errors can be reported of one value itself, each as long as usual."""
    errors = sum(_errors_of(reach.schemas[key]) * count for key, count in times.items())
    return errors * (1 + _size(value) / _VALUES_PER_ERROR)


def _errors_of(schema: Schema) -> float:
    errors = float(len(schema.keys() - _SILENT))
    for keyword, size in (("required", 1), ("enum", _OPTIONS_PER_ERROR)):
        listed = schema.get(keyword)
        errors += len(listed) / size if is_array(listed) else 0
    return errors


def _size(value: Any) -> int:
    """How many values are in a value, itself included; what is beyond a bound is not counted."""
    total, stack = 0, [value]
    while stack and total < _MAX_LOOKED_AT:
        total += 1
        part = stack.pop()
        stack.extend(part.values() if is_object(part) else part if is_array(part) else ())
    return total


def _together(reach: Reach, roots: Times) -> Times:
    """All schemas that are applied to a value together with some."""
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
    """The parts of a value that schemas are applied to, names of fields included, each with those schemas."""
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
