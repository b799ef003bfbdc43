"""Shapes as annotations, and the imports that an annotation needs."""

from __future__ import annotations

import re
from typing import Final

from toolgen.compiler.emit.literals import literal
from toolgen.compiler.ir.shapes import Array, ClassRef, Json, Literals, Map, Scalar, ScalarKind, Shape, Union

_SCALARS: Final = {
    ScalarKind.STRING: "str",
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "int | float",
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
}
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def annotation(shape: Shape) -> str:
    """The type of a shape, as it is written in generated code."""
    match shape:
        case Scalar(kind):
            return _SCALARS[kind]
        case Json():
            return "JsonValue"
        case Literals(values):
            return f"Literal[{', '.join(literal(value) for value in values)}]"
        case Array(items):
            return f"list[{annotation(items)}]"
        case Map(values):
            return f"dict[str, {annotation(values)}]"
        case Union(members):
            return " | ".join(annotation(member) for member in members)
        case ClassRef(name):
            return name


def names_in(source: str) -> set[str]:
    """The names in an annotation, or another expression of ours, without what stands in its string literals."""
    return set(_NAME.findall(_STRING.sub('""', source)))
