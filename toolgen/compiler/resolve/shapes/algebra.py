"""Operations on shapes: union, narrowing, bounding, and whether a value fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
from toolgen.compiler.resolve.shapes.constraints import satisfies
from toolgen.schema.formats import parse_format

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

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
