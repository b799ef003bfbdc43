"""Constraints: the keywords of JSON Schema that pydantic checks in exactly the same way, as arguments of its `Field`.

A constraint must not reject anything that the schema accepts, because then a typed value could not be built. And it
must reject everything that the keyword rejects, so that a codec may leave the check to the class.
tests/properties/codecs/test_constraints.py compares both with jsonschema-rs. The schema checks what differs:

- bounds beyond 2^53, where jsonschema-rs compares integers above 2^64 as floats
- `multipleOf` of floats, and of integers that have no bounds on both sides, for the same reason
- patterns with more than characters, classes of ASCII characters and counts: the two engines read the rest differently
- `uniqueItems`, `contains`, `format`, and sizes of objects with named fields
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.schema.json_values import whole_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from toolgen.compiler.ir.shapes import Array, Constraint, Map, Scalar

_LARGEST: Final = 2**53
"""Integers up to this are exact as floats, and so is every comparison with one."""

_BOUNDS: Final = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}
_SIZES: Final = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "object": {"minProperties": "min_length", "maxProperties": "max_length"},
}

_COUNT: Final = r"(?:[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})?"
_CHARACTER: Final = r"(?:[A-Za-z0-9 _/:@#,;=<>%!'\"-]|\\[.+*?^$|()\[\]{}])"
_CLASS: Final = r"\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9 _.:/@+])+-?\]"
_PATTERN: Final = re.compile(rf"\^?(?:(?:{_CHARACTER}|{_CLASS}){_COUNT}){{1,30}}\$?")
_RANGE: Final = re.compile(r"([A-Za-z0-9])-([A-Za-z0-9])")
_COUNTS: Final = re.compile(r"\{([0-9]+),([0-9]+)\}")


def constraints(kind: str, schema: Mapping[str, Any]) -> tuple[Constraint, ...]:
    """What pydantic can check of the values of one JSON type that a schema allows."""
    if kind in ("integer", "number"):
        return tuple(_of_numbers(kind, schema))
    return (*_sizes(kind, schema), *(_pattern(schema) if kind == "string" else ()))


def satisfies(value: Any, shape: Scalar | Array | Map) -> bool:
    """Whether a JSON value of the kind of a shape keeps to its constraints."""
    return all(_CHECKS[name](value, bound) for name, bound in shape.constraints)


def _of_numbers(kind: str, schema: Mapping[str, Any]) -> Iterator[Constraint]:
    bounds: dict[str, int | float] = {}
    for keyword, name in _BOUNDS.items():
        bound = schema.get(keyword)
        if _is_number(bound) and abs(bound) <= _LARGEST:
            bounds[name] = whole_bound(name, bound) if kind == "integer" else _number(bound)
    yield from bounds.items()
    factor = schema.get("multipleOf")
    is_bounded = {"ge", "gt"} & bounds.keys() and {"le", "lt"} & bounds.keys()
    if kind == "integer" and is_bounded and _is_number(factor) and factor == int(factor) and 0 < factor <= _LARGEST:
        yield "multiple_of", int(factor)


def _sizes(kind: str, schema: Mapping[str, Any]) -> Iterator[Constraint]:
    for keyword, name in _SIZES.get(kind, {}).items():
        size = schema.get(keyword)
        if _is_number(size) and size == int(size) and 0 <= size <= _LARGEST:
            yield name, int(size)


def _pattern(schema: Mapping[str, Any]) -> Iterator[Constraint]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and _PATTERN.fullmatch(pattern):
        ranges = _RANGE.findall(pattern)
        counts = _COUNTS.findall(pattern)
        if all(low <= high for low, high in ranges) and all(int(least) <= int(most) for least, most in counts):
            yield "pattern", pattern


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: float) -> float:
    return int(value) if value == int(value) else value


_CHECKS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "ge": lambda value, bound: value >= bound,
    "gt": lambda value, bound: value > bound,
    "le": lambda value, bound: value <= bound,
    "lt": lambda value, bound: value < bound,
    "multiple_of": lambda value, factor: value % factor == 0,
    "min_length": lambda value, size: len(value) >= size,
    "max_length": lambda value, size: len(value) <= size,
    "pattern": lambda value, pattern: re.search(re.sub(r"\$\Z", r"\\Z", pattern), value) is not None,
}
