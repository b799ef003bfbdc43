"""What can be said of shapes alone: joining, narrowing, bounding them, and whether a value has one."""

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
"""Of a union: it is built and tried member by member, and Python's parser gives up at some thousand."""

_LARGE: Final = 2**63
"""Integers from here on, and below its negative, are not found among the literals of a type: pydantic gives up."""

_RANK: Final = {ClassRef: 0, Map: 1, Array: 1, Literals: 2, Scalar: 3, Union: 4, Json: 5}


def literals(values: list[Any]) -> Shape:
    """The shape of an enumeration: literals where all values are of one plain kind, beside null, and not too large."""
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
    """One of several shapes: flat, literals of a kind together; `Json` where one of them is, or where they are many.

    Beside a string that may be any text, one with the type of a format is a text as well.
    """
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
    """One of two shapes that are equal, or are literals of a kind: constrained only where both are, in the same way."""
    if repr(first) == repr(second):
        return second
    if isinstance(first, Literals) and isinstance(second, Literals):
        return Literals(tuple(dict.fromkeys((*first.values, *second.values))))
    return unconstrained(second)


def _confuses(members: Set[Shape | ScalarKind]) -> bool:
    """Whether truth values and numbers meet where some are literals: pydantic takes `true` for the literal `1`."""
    truths = members & {ScalarKind.BOOLEAN, SCALARS["boolean"]}
    numbers = members & {ScalarKind.INTEGER, SCALARS["integer"], SCALARS["number"]}
    return bool(truths and numbers) and any(isinstance(member, ScalarKind) for member in truths | numbers)


def bounded(shape: Shape, budget: int = 200) -> Shape:
    """The shape, or `Json` where it is so large that putting it in place again and again could fill the memory."""
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
    """Of two shapes that both hold for a value, the one that says more."""
    return second if _RANK[type(second)] < _RANK[type(first)] else first


def fits(value: Any, shape: Shape, classes: Mapping[str, ClassType]) -> bool:
    """Whether a JSON value has a shape, so that a typed default can be made of it."""
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
