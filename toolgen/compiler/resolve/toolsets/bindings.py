"""Bindings: compares the shapes of a tool and its method, field by field.

A side fits if every field of the target has a source of the same name and type, or is optional, and nothing of the
source is lost. A side that does not fit gets no transform, and a note with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.compiler.ir.catalog import Step, Transform
from toolgen.compiler.ir.shapes import Array, ClassRef, Map, Shape, Union

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from toolgen.compiler.ir.catalog import Schema
    from toolgen.compiler.ir.shapes import ClassType, Field


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a side has no transform."""

    reason: str


def fit(
    source: Schema, target: Schema, classes: Mapping[str, ClassType], injected: Collection[str] = ()
) -> Transform | Misfit:
    """Return the transform from values of `source` to values of `target`, or why there is none.

    `injected` are wire names of fields of the target that come from the call's context.
    """
    passes = Transform(source.type_name, target.type_name)
    if source.shape == target.shape and not injected:
        return passes
    if not isinstance(source.shape, ClassRef) or not isinstance(target.shape, ClassRef):
        return Misfit("the two sides have different types that are not both objects with named fields")
    made, wanted = classes[source.shape.name], classes[target.shape.name]
    given = {field.wire: field for field in made.fields}
    steps: list[Step] = []
    for field in wanted.fields:
        if field.wire in injected:
            steps.append(Step(field.python, field.shape, None))
            continue
        other = given.pop(field.wire, None)
        if other is None and field.required:
            return Misfit(f"`{field.wire}` is required, but has no counterpart")
        if other is None and made.open:
            return Misfit(f"`{field.wire}` has no counterpart, but could be an additional key of an open object")
        if other is None:
            continue
        if not _alike(other.shape, field.shape, classes, set()):
            return Misfit(f"`{field.wire}` has different types on the two sides")
        optional = not _always_there(other)
        if optional and field.required:
            return Misfit(f"`{field.wire}` is required on one side, and may be absent on the other")
        if optional and field.default is not None:
            return Misfit(f"`{field.wire}` has a default on one side, and may be absent on the other")
        steps.append(
            Step(field.python, field.shape, other.python, rebuilt=other.shape != field.shape, optional=optional)
        )
    lost = [wire for wire in given if wire not in injected]
    if lost:
        return Misfit(f"`{lost[0]}` has no counterpart, and would be lost")
    if made.open and not wanted.open:
        return Misfit("keys beyond the named fields are allowed on one side only, and would be lost")
    return Transform(source.type_name, target.type_name, tuple(steps), extra=made.open)


def _always_there(field: Field) -> bool:
    return field.required or field.has_default


def _alike(first: Shape, second: Shape, classes: Mapping[str, ClassType], assumed: set[tuple[str, str]]) -> bool:
    """Whether two shapes have the same values; classes are compared by their fields, not by name."""
    match first, second:
        case ClassRef(one), ClassRef(other):
            if one == other or (one, other) in assumed:
                return True
            return _alike_classes(classes[one], classes[other], classes, assumed | {(one, other)})
        case (Array(one), Array(other)) | (Map(one), Map(other)):
            return _alike(one, other, classes, assumed)
        case Union(ones), Union(others):
            return len(ones) == len(others) and all(
                _alike(one, other, classes, assumed) for one, other in zip(ones, others, strict=True)
            )
        case _:
            return first == second


def _alike_classes(
    first: ClassType, second: ClassType, classes: Mapping[str, ClassType], assumed: set[tuple[str, str]]
) -> bool:
    if first.open != second.open or len(first.fields) != len(second.fields):
        return False
    others = {field.wire: field for field in second.fields}
    return all(
        (other := others.get(field.wire)) is not None
        and field.required == other.required
        and _alike(field.shape, other.shape, classes, assumed)
        for field in first.fields
    )
