"""Operations on shapes: union, narrowing, bounding, and whether a value fits."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.compiler.ir.shapes import (
    Array,
    ClassRef,
    ClassType,
    Json,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    Union,
    unconstrained,
)
from toolgen.schema.formats import parse_format
from toolgen.schema.json_values import BOUNDS_OF_NUMBERS, whole_bound

if TYPE_CHECKING:
    from toolgen.compiler.ir.shapes import Constraint


# Constraints: the keywords of JSON Schema that pydantic checks in exactly the same way, as arguments of its `Field`.
#
# A constraint must not reject anything that the schema accepts, because then a typed value could not be built. And it
# must reject everything that the keyword rejects, so that a codec may leave the check to the class.
# tests/properties/codecs/test_constraints.py compares both with jsonschema-rs. The schema checks what differs:
#
# - bounds beyond 2^53, where jsonschema-rs compares integers above 2^64 as floats
# - `multipleOf` of floats, and of integers that have no bounds on both sides, for the same reason
# - patterns with more than characters, classes of ASCII characters and counts: the two engines read the rest
#   differently
# - `uniqueItems`, `contains`, `format`, and sizes of objects with named fields

_LARGEST: Final = 2**53
"""Integers up to this are exact as floats, and so is every comparison with one."""

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
    for keyword, name in BOUNDS_OF_NUMBERS.items():
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
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)  # of any size: most integers are no float


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


_STRICTER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(("ge", "gt", "min_length"), operator.ge),
    **dict.fromkeys(("le", "lt", "max_length"), operator.le),
    "multiple_of": lambda factor, other: factor % other == 0,
    "pattern": operator.eq,
}


def is_within(first: Scalar | Array | Map, second: Scalar | Array | Map) -> bool:
    """Whether constraints of one shape imply those of another of the same kind; two kinds of them never do."""
    bounds = dict(first.constraints)
    return all(name in bounds and _STRICTER[name](bounds[name], bound) for name, bound in second.constraints)


JSON: Final = Json()
SCALARS: Final = {kind.value: Scalar(kind) for kind in ScalarKind}
_MOST_MEMBERS: Final = 100
"""Maximum members of a union: it is built and tried member by member, and Python's parser fails at some thousand."""

_LARGE: Final = 2**63
"""Integers from this, and below its negative, are not supported as literals by pydantic."""

_RANK: Final = {ClassRef: 0, Map: 1, Array: 1, Literals: 2, Scalar: 3, Union: 4, Json: 5}


def literals(values: list[Any]) -> Shape:
    """Return the shape of an enumeration: literals if all values but null are of one scalar kind, and not too large."""
    present = [value for value in values if value is not None]
    null: list[Shape] = [SCALARS["null"]] if len(present) < len(values) else []
    if not present:
        return null[0] if null else JSON
    whole: list[Any] = [
        int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE else value
        for value in present
    ]
    kinds = {type(value) for value in whole}
    if kinds == {int} and any(abs(value) >= _LARGE for value in whole):
        return union([SCALARS["integer"], *null])
    if kinds in ({str}, {bool}, {int}):
        return union([Literals(tuple(dict.fromkeys(whole))), *null])
    return union([SCALARS["number"], *null]) if kinds <= {int, float} else JSON


def union(shapes: list[Shape]) -> Shape:
    """Return a union of shapes, flat, with literals of a kind merged; `Json` if one is, or if there are too many."""
    flat: dict[Shape | ScalarKind, Shape] = {}
    for shape in shapes:
        for member in shape.members if isinstance(shape, Union) else (shape,):
            key = member.kind if isinstance(member, Literals) else member
            flat[key] = _either(flat.get(key, member), member)
    if not flat or JSON in flat or len(flat) > _MOST_MEMBERS or _confuses(flat.keys()):
        return JSON
    if SCALARS["string"] in flat:
        flat = {key: shape for key, shape in flat.items() if not (isinstance(shape, Scalar) and shape.format)}
    if SCALARS["number"] in flat and SCALARS["integer"] in flat:
        del flat[SCALARS["integer"]]
        flat[SCALARS["number"]] = SCALARS["number"]
    return next(iter(flat.values())) if len(flat) == 1 else Union(tuple(flat.values()))


def _either(first: Shape, second: Shape) -> Shape:
    """Merge two shapes that are equal, or literals of a kind: constraints are kept only if both have them."""
    if repr(first) == repr(second):
        return second
    if isinstance(first, Literals) and isinstance(second, Literals):
        return Literals(tuple(dict.fromkeys((*first.values, *second.values))))
    return unconstrained(second)


def _confuses(members: Set[Shape | ScalarKind]) -> bool:
    """Whether both booleans and numbers occur, some as literals: pydantic treats `true` as the literal `1`."""
    truths = members & {ScalarKind.BOOLEAN, SCALARS["boolean"]}
    numbers = members & {ScalarKind.INTEGER, SCALARS["integer"], SCALARS["number"]}
    return bool(truths and numbers) and any(isinstance(member, ScalarKind) for member in truths | numbers)


def bounded(shape: Shape, budget: int = 200) -> Shape:
    """Return the shape, or `Json` if it is so large that inlining it repeatedly could exhaust memory."""
    queue, seen = [shape], 0
    while queue:
        seen += 1
        match queue.pop():
            case Array(inner) | Map(inner):
                queue.append(inner)
            case Union(members):
                queue.extend(members)
            case _:
                pass
        if seen > budget:
            return JSON
    return shape


def narrower(first: Shape, second: Shape) -> Shape:
    """Return the more specific of two shapes that both apply to a value."""
    return second if _RANK[type(second)] < _RANK[type(first)] else first


def fits(value: Any, shape: Shape, classes: Mapping[str, ClassType]) -> bool:
    """Whether a JSON value fits a shape, so that it can be a typed default."""
    match shape:
        case Json():
            return True
        case Scalar(kind):
            is_held = not shape.format or (isinstance(value, str) and parse_format(shape.format, value) is not None)
            return _is_scalar(value, kind) and satisfies(value, shape) and is_held
        case Literals(values):
            return any(value == known and type(value) is type(known) for known in values)
        case Array(items):
            return (
                isinstance(value, list)
                and satisfies(value, shape)
                and all(fits(item, items, classes) for item in value)
            )
        case Map(values):
            return (
                isinstance(value, dict)
                and satisfies(value, shape)
                and all(fits(item, values, classes) for item in value.values())
            )
        case Union(members):
            return any(fits(value, member, classes) for member in members)
        case ClassRef(name):
            return isinstance(value, dict) and _fits_class(value, classes[name], classes)


def _fits_class(value: dict[str, Any], made: ClassType, classes: Mapping[str, ClassType]) -> bool:
    known = {field.wire: field for field in made.fields}
    return (
        all(field.wire in value for field in made.fields if field.required)
        and (made.open or value.keys() <= known.keys())
        and all(fits(inner, known[name].shape, classes) for name, inner in value.items() if name in known)
    )


def _is_scalar(value: Any, kind: ScalarKind) -> bool:
    match kind:
        case ScalarKind.STRING:
            return isinstance(value, str)
        case ScalarKind.BOOLEAN:
            return isinstance(value, bool)
        case ScalarKind.NULL:
            return value is None
        case ScalarKind.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case ScalarKind.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
