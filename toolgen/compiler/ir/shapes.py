"""Shapes: what of a JSON Schema a Python type can carry without loss.

A shape accepts at least what its schema accepts, and never alters it. What no Python type carries exactly is `Json`.
Constraints, discriminators and names do not make another shape: two shapes that differ in these alone are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

PACKAGE_MODULE: Final = "shared_types"
"""The module at the root of a generated package that defines the types of shared files, for all toolsets."""


class ScalarKind(StrEnum):
    """JSON types without parts. `NUMBER` is int or float; `INTEGER` also accepts `1.0`, as JSON Schema does."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"


Constraint = tuple[str, int | float | str]
"""An argument of pydantic's `Field`: `("ge", 1)`."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of one scalar kind; a string may have the type of a format, by the name of the format."""

    kind: ScalarKind
    constraints: tuple[Constraint, ...] = field(default=(), compare=False)
    format: str = ""


@dataclass(frozen=True, slots=True)
class Json:
    """Any JSON value, kept as it is."""


@dataclass(frozen=True, slots=True)
class Literals:
    """One of a few values, all of them strings, or all integers, or all booleans.

    `name` is that of the alias that stands for them, where they are a type of the spec.
    """

    values: tuple[str | int | bool, ...]
    name: str = field(default="", compare=False)
    kind: ScalarKind = field(init=False, repr=False)
    """Tells `1` from `true`, which are equal in Python."""

    def __post_init__(self) -> None:
        """Take the kind of the values."""
        kinds = {str: ScalarKind.STRING, bool: ScalarKind.BOOLEAN}
        object.__setattr__(self, "kind", kinds.get(type(self.values[0]), ScalarKind.INTEGER))


@dataclass(frozen=True, slots=True)
class Array:
    """A list of one shape."""

    items: Shape
    constraints: tuple[Constraint, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Map:
    """An object without named fields; every value has one shape."""

    values: Shape
    constraints: tuple[Constraint, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """One of several shapes; flat, without duplicates, and never holding `Json`. `null` is a member like any other.

    `discriminator` is the field by which the classes among the members are told apart, by its Python name.
    """

    members: tuple[Shape, ...]
    discriminator: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ClassRef:
    """An object with named fields: the class of that name in the toolset's types."""

    name: str


Shape = Scalar | Json | Literals | Array | Map | Union | ClassRef


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a class. `wire` is the name in JSON, `python` the attribute.

    `default` is meaningful where `has_default`; a field that is neither required nor defaulted may be absent.
    """

    python: str
    wire: str
    shape: Shape
    required: bool
    has_default: bool = False
    default: Any = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class ClassType:
    """A generated model class; an open one keeps extra keys.

    `module` is the module that defines it: one in the package of its toolset, or `PACKAGE_MODULE`.
    """

    name: str
    module: str
    fields: tuple[Field, ...]
    open: bool
    description: str = ""


@dataclass(frozen=True, slots=True)
class AliasType:
    """A name for a shape that is not an object with named fields."""

    name: str
    module: str
    shape: Shape
    description: str = ""


def classes_in(shape: Shape) -> set[str]:
    """The classes that a shape names."""
    match shape:
        case ClassRef(name):
            return {name}
        case Array(inner) | Map(inner):
            return classes_in(inner)
        case Union(members):
            return {name for member in members for name in classes_in(member)}
        case _:
            return set()


def enums_in(shape: Shape) -> set[str]:
    """The aliases of literals that a shape names."""
    match shape:
        case Literals(_, name):
            return {name} if name else set()
        case Array(inner) | Map(inner):
            return enums_in(inner)
        case Union(members):
            return {name for member in members for name in enums_in(member)}
        case _:
            return set()


def has_formats(shape: Shape) -> bool:
    """Whether a part of a shape has the type of a format, so that its JSON is no literal of that type."""
    match shape:
        case Scalar(format=name):
            return bool(name)
        case Array(inner) | Map(inner):
            return has_formats(inner)
        case Union(members):
            return any(map(has_formats, members))
        case _:
            return False


def unconstrained(shape: Shape) -> Shape:
    """The same shape without constraints, all the way down."""
    match shape:
        case Scalar():
            return replace(shape, constraints=())
        case Array(inner):
            return Array(unconstrained(inner))
        case Map(inner):
            return Map(unconstrained(inner))
        case Union(members):
            return replace(shape, members=tuple(map(unconstrained, members)))
        case _:
            return shape


def accepts_null(shape: Shape) -> bool:
    """Whether null is a value of the shape, so that `None` means null and not absence."""
    match shape:
        case Json():
            return True
        case Scalar(kind):
            return kind is ScalarKind.NULL
        case Union(members):
            return any(accepts_null(member) for member in members)
        case _:
            return False
