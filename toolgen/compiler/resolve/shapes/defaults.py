"""Defaults of typed values: those that fit the type of their field, and are finite.

A default that is an object may omit fields that have defaults, and so on. If that is recursive, or creates too many
objects, the field has no default: its value is None if it is absent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import AliasType, Array, ClassRef, ClassType, Map, Union
from toolgen.compiler.resolve.shapes.algebra import fits
from toolgen.compiler.resolve.shapes.unions import strongly_connected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgen.compiler.ir.shapes import Field, Shape

MOST_OBJECTS: Final = 100
"""Maximum number of objects created by one default, including nested defaults."""


def with_defaults_that_end(types: Iterable[ClassType | AliasType]) -> tuple[ClassType | AliasType, ...]:
    """Return the same types, in the same order, without the defaults that typed values cannot have."""
    types = tuple(types)
    classes = {made.name: made for made in types if isinstance(made, ClassType)}
    for name, made in classes.items():
        if not all(_is_typed(field, classes) for field in made.fields):
            fields = (field if _is_typed(field, classes) else _bare(field) for field in made.fields)
            classes[name] = replace(made, fields=tuple(fields))
    endless = _endless(classes)
    for name, made in classes.items() if endless else ():
        fields = (_bare(field) if _key(name, field) in endless else field for field in made.fields)
        classes[name] = replace(made, fields=tuple(fields))
    return tuple(classes[made.name] if isinstance(made, ClassType) else made for made in types)


def _endless(classes: Mapping[str, ClassType]) -> set[str]:
    """Return the defaults that are recursive, or create too many objects."""
    objects = {
        _key(name, field): list(_objects(field.default, field.shape, classes))
        for name, made in classes.items()
        for field in made.fields
        if field.has_default and not field.required
    }
    below = {
        key: {inner for name, absent in made for inner in (_key(name, field) for field in absent)}
        for key, made in objects.items()
    }
    endless: set[str] = set()
    sizes: dict[str, int] = {}
    for group in strongly_connected(below):
        for key in group:
            size = sum(1 + sum(sizes.get(_key(name, field), 0) for field in absent) for name, absent in objects[key])
            if len(group) > 1 or key in below[key] or size > MOST_OBJECTS:
                endless.add(key)
            else:
                sizes[key] = size
    return endless


def _objects(value: Any, shape: Shape, classes: Mapping[str, ClassType]) -> Iterator[tuple[str, list[Field]]]:
    """Return the objects that pydantic may create from a JSON value: their classes, and the fields left to defaults."""
    match shape:
        case Array(items) if isinstance(value, list):
            for item in value:
                yield from _objects(item, items, classes)
        case Map(values) if isinstance(value, dict):
            for item in value.values():
                yield from _objects(item, values, classes)
        case Union(members):
            for member in members:
                yield from _objects(value, member, classes)
        case ClassRef(name) if isinstance(value, dict):
            fields = classes[name].fields
            absent = [field for field in fields if field.wire not in value]
            yield name, [field for field in absent if field.has_default and not field.required]
            for field in fields:
                if field.wire in value:
                    yield from _objects(value[field.wire], field.shape, classes)
        case _:
            pass


def _key(name: str, field: Field) -> str:
    return f"{name}.{field.python}"


def _is_typed(field: Field, classes: Mapping[str, ClassType]) -> bool:
    """Whether a field has no default, or one that fits its type."""
    return not field.has_default or fits(field.default, field.shape, classes)


def _bare(field: Field) -> Field:
    return replace(field, has_default=False, default=None)
