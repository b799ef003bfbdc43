"""Types in annotations of generated code, as values that can be compared."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name, with its arguments: `str`, `list[str]`, `Codec[FindArgs]`."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """A class or an alias of the package, by the path of its module and its name."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A literal type of one value; `kind` tells `1` from `True`, which are equal."""

    kind: str
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types; flat."""

    members: frozenset[Type]


Type: TypeAlias = "Named | Ref | Value | Union"
Resolve: TypeAlias = "Callable[[str], Ref | None]"
"""Finds what a name of a module refers to in the package; None for names from elsewhere."""

NONE = Named("None")
FLOAT = Union(frozenset({Named("int"), Named("float")}))
"""What type checkers take `float` for."""

_TRANSPARENT = frozenset({"Annotated", "Final"})


def read_type(node: ast.expr | None, resolve: Resolve) -> Type:
    """Return the type of an annotation; an absent one is `Any`."""
    match node:
        case None:
            return Named("Any")
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=str(text)):
            return read_type(ast.parse(text, mode="eval").body, resolve)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union((read_type(left, resolve), read_type(right, resolve)))
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _TRANSPARENT:
            first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            return read_type(first, resolve)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return union(map(_value, parts))
        case ast.Subscript(value=base, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return Named(ast.unparse(base), tuple(read_type(each, resolve) for each in parts))
        case ast.List(elts=parts):
            return Named("[]", tuple(read_type(each, resolve) for each in parts))
        case ast.Name(id=name):
            return FLOAT if name == "float" else resolve(name) or Named(name)
        case _:
            return Named(ast.unparse(node))


def union(parts: Iterable[Type]) -> Type:
    """Return the union of types; of one, that type."""
    members = frozenset[Type]().union(*(each.members if isinstance(each, Union) else {each} for each in parts))
    return next(iter(members)) if len(members) == 1 else Union(members)


def type_text(kind: Type) -> str:
    """Return a type as it is written; members of unions are sorted."""
    match kind:
        case Ref(_, name):
            return name
        case Value(_, value):
            return f"Literal[{value!r}]"
        case Union(members):
            if kind == FLOAT:
                return "float"
            values = sorted(repr(each.value) for each in members if isinstance(each, Value))
            others = sorted(type_text(each) for each in members if not isinstance(each, Value) and each != NONE)
            listed = [*([f"Literal[{', '.join(values)}]"] if values else []), *others]
            return " | ".join([*listed, *(["None"] if NONE in members else [])])
        case Named("[]", args):
            return f"[{', '.join(map(type_text, args))}]"
        case Named(name, args):
            return f"{name}[{', '.join(map(type_text, args))}]" if args else name


def _value(node: ast.expr) -> Value:
    value = ast.literal_eval(node)
    return Value(type(value).__name__, value)
