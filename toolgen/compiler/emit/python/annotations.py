"""Shapes as annotations, and the imports that an annotation needs."""

from __future__ import annotations

import re
from typing import Final

from toolgen.compiler.emit.literals import literal
from toolgen.compiler.ir.shapes import (
    Array,
    ClassRef,
    Constraint,
    Json,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    Union,
)
from toolgen.schema.json_values import whole_bound

_SCALARS: Final = {
    ScalarKind.STRING: "str",
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "int | float",
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
}
FORMATS: Final = {
    "date": "FormattedDate",
    "date-time": "FormattedDateTime",
    "time": "FormattedTime",
    "uuid": "FormattedUUID",
}
"""The types of formats."""

CONTRACT: Final = "toolgen.contract"
RUNTIME: Final = "toolgen.runtime"
"""The modules of toolgen that generated code imports from: without pydantic, and with it."""

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


def annotation(shape: Shape) -> str:
    """Return the type of a shape for signatures in generated code, without constraints for pydantic."""
    match shape:
        case Scalar(kind, format=name):
            return FORMATS[name] if name else _SCALARS[kind]
        case Json():
            return "JsonValue"
        case Literals(values, name):
            return name or f"Literal[{', '.join(literal(value) for value in values)}]"
        case Array(items):
            return f"list[{annotation(items)}]"
        case Map(values):
            return f"dict[str, {annotation(values)}]"
        case Union(members):
            return " | ".join(annotation(member) for member in members)
        case ClassRef(name):
            return name


def checked(shape: Shape) -> str:
    """Return the type of a shape with its constraints, for models and aliases."""
    match shape:
        case Scalar(ScalarKind.NUMBER, constraints) if constraints:
            whole = tuple((name, whole_bound(name, float(bound))) for name, bound in constraints)
            return f"Annotated[int, Field({arguments(whole)})] | Annotated[float, Field({arguments(constraints)})]"
        case Scalar(constraints=constraints) | Array(constraints=constraints) | Map(constraints=constraints) if (
            constraints
        ):
            return f"Annotated[{annotation_of_values(shape)}, Field({arguments(constraints)})]"
        case Array() | Map():
            return annotation_of_values(shape)
        case Union(members, discriminator) if discriminator:
            null = [" | None" for member in members if member == Scalar(ScalarKind.NULL)]
            classes = " | ".join(checked(member) for member in members if member != Scalar(ScalarKind.NULL))
            return f"Annotated[{classes}, Field(discriminator={literal(discriminator)})]{''.join(null)}"
        case Union(members):
            return " | ".join(checked(member) for member in members)
        case _:
            return annotation(shape)


def annotation_of_values(shape: Scalar | Array | Map) -> str:
    """Return the type of a shape without its constraints, but with those of nested values."""
    match shape:
        case Array(items):
            return f"list[{checked(items)}]"
        case Map(values):
            return f"dict[str, {checked(values)}]"
        case _:
            return annotation(shape)


def arguments(constraints: tuple[Constraint, ...]) -> str:
    """Return constraints as arguments of pydantic's `Field`."""
    return ", ".join(f"{name}={literal(value)}" for name, value in constraints)


def names_in(source: str) -> set[str]:
    """Return the names in an annotation or another generated expression, without string literals."""
    return set(_NAME.findall(_STRING.sub('""', source)))
