"""Unions for which pydantic would choose a wrong member, or take too long: they become `Json`, which alters nothing.

pydantic tries all members of a union and keeps the best. That takes exponential time if unions are nested, and it
treats `true` as the literal `1`, so that a member may accept a value of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from toolgen.compiler.ir.shapes import (
    AliasType,
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
    classes_in,
)
from toolgen.compiler.resolve.shapes.algebra import JSON, union
from toolgen.schema.cost.graph import components

MOST_GUESSES: Final = 1000
"""Maximum number of members tried for one value, including those of nested unions."""

_Pair = tuple[str, str]


def resolve_unions(types: Iterable[ClassType | AliasType]) -> tuple[ClassType | AliasType, ...]:
    """Return the same types, in the same order, with `Json` for every unsupported union."""
    types = tuple(types)
    judge = _Judge({made.name: made for made in types if isinstance(made, ClassType)})
    return tuple(
        judge.classes[made.name] if isinstance(made, ClassType) else replace(made, shape=judge.resolve(made.shape, ""))
        for made in types
    )


class _Judge:
    """Processes classes, nested ones first."""

    def __init__(self, classes: Mapping[str, ClassType]) -> None:
        self.classes = dict(classes)
        self._guesses: dict[str, int] = {}
        below = {
            name: {ref for field in made.fields for ref in classes_in(field.shape)} for name, made in classes.items()
        }
        groups = list(components(below, lambda name: sorted(below[name] & below.keys())))
        self._cyclic = {name for group in groups for name in group if len(group) > 1 or name in below[name]}
        for group in groups:
            for name in group:
                made = self.classes[name]
                shapes = [self.resolve(field.shape, name) for field in made.fields]
                if any(shape is not field.shape for shape, field in zip(shapes, made.fields, strict=True)):
                    fields = zip(made.fields, shapes, strict=True)
                    changed = tuple(replace(field, shape=shape) for field, shape in fields)
                    self.classes[name] = replace(made, fields=changed)
            shapes = [field.shape for name in group for field in self.classes[name].fields]
            self._guesses.update(dict.fromkeys(group, max(map(self._max_attempts, shapes), default=1)))

    def resolve(self, shape: Shape, inside: str) -> Shape:
        """Return the resulting shape of a field of the class `inside`, or of an alias."""
        match shape:
            case Array(items):
                return replace(shape, items=self.resolve(items, inside))
            case Map(values):
                return replace(shape, values=self.resolve(values, inside))
            case Union(members):
                settled = union([self.resolve(member, inside) for member in members])
                if not isinstance(settled, Union):
                    return settled
                if field := self._discriminator(settled):
                    return replace(settled, discriminator=field)
                return JSON if self._is_unsupported(settled, inside) else settled
            case _:
                return shape

    def _discriminator(self, shape: Union) -> str:
        """Return the Python name of a field that discriminates the members, classes or null; empty if there is none.

        Each member has the field, with different literals. An open object could have an extra key with its Python name,
        so there both names of the field must be the same.
        """
        members = [member for member in shape.members if member != Scalar(ScalarKind.NULL)]
        made = [self.classes[member.name] for member in members if isinstance(member, ClassRef)]
        if len(made) < 2 or len(made) < len(members):
            return ""
        fields = [{field.wire: field for field in each.fields} for each in made]
        is_open = any(each.open for each in made)
        for wire, first in fields[0].items():
            same = [each[wire] for each in fields if wire in each]
            words = [word for each in same if isinstance(each.shape, Literals) for word in each.shape.values]
            if (
                len(same) == len(made)
                and all(each.required and isinstance(each.shape, Literals) for each in same)
                and len({each.python for each in same}) == 1
                and all(isinstance(word, str) for word in words)
                and len(set(words)) == len(words)
                and not (is_open and first.python != wire)
            ):
                return first.python
        return ""

    def _is_unsupported(self, shape: Union, inside: str) -> bool:
        compound = [member for member in shape.members if isinstance(member, ClassRef | Array | Map)]
        if len(compound) < 2:
            return False
        if inside in self._cyclic and any(name in self._cyclic for member in compound for name in classes_in(member)):
            return True
        if self._max_attempts(shape) > MOST_GUESSES:
            return True
        return any(self._may_confuse(one, other, set()) for one in compound for other in compound if one is not other)

    def _max_attempts(self, shape: Shape) -> int:
        """Return the maximum number of union members tried for one value of a shape."""
        match shape:
            case Array(inner) | Map(inner):
                return self._max_attempts(inner)
            case Union(members, discriminator):
                return (max if discriminator else sum)(map(self._max_attempts, members))
            case ClassRef(name):
                return self._guesses.get(name, 1)
            case _:
                return 1

    def _may_confuse(self, one: Shape, other: Shape, seen: set[_Pair]) -> bool:
        """Whether `one` has a literal that pydantic confuses with a different value of `other`."""
        match one, other:
            case Literals(values), _:
                return not {0, 1}.isdisjoint(values) and _may_hold_equal(other, one.kind)
            case Union(members), _:
                return any(self._may_confuse(member, other, seen) for member in members)
            case _, Union(members):
                return any(self._may_confuse(one, member, seen) for member in members)
            case (Array(inner), Array(outer)) | (Map(inner), Map(outer)):
                return self._may_confuse(inner, outer, seen)
            case ((Array(inner) | Map(inner)), Json()):
                return self._may_confuse(inner, JSON, seen)
            case Map(values), ClassRef(name):
                made = self.classes[name]
                shapes = [field.shape for field in made.fields]
                return any(
                    self._may_confuse(values, shape, seen) for shape in (*shapes, *([JSON] if made.open else []))
                )
            case ClassRef(name), ClassRef() | Map() | Json():
                return self._class_takes(name, other, seen)
            case _:
                return False

    def _class_takes(self, name: str, other: ClassRef | Map | Json, seen: set[_Pair]) -> bool:
        pair = (name, other.name if isinstance(other, ClassRef) else repr(other))
        if pair in seen:
            return False
        seen.add(pair)
        given: dict[str, Shape] = {}
        rest: Shape | None = JSON
        if isinstance(other, Map):
            rest = other.values
        elif isinstance(other, ClassRef):
            given = {field.wire: field.shape for field in self.classes[other.name].fields}
            rest = JSON if self.classes[other.name].open else None
        return any(
            (shape := given.get(field.wire, rest)) is not None and self._may_confuse(field.shape, shape, seen)
            for field in self.classes[name].fields
        )


def _may_hold_equal(shape: Shape, kind: ScalarKind) -> bool:
    """Whether a shape has booleans and `kind` is numeric, or vice versa."""
    match shape:
        case Json():
            return True
        case Literals():
            return {kind, shape.kind} == {ScalarKind.BOOLEAN, ScalarKind.INTEGER}
        case Scalar(other):
            numbers = (ScalarKind.INTEGER, ScalarKind.NUMBER)
            return other in numbers if kind is ScalarKind.BOOLEAN else other is ScalarKind.BOOLEAN
        case Union(members):
            return any(_may_hold_equal(member, kind) for member in members)
        case _:
            return False
