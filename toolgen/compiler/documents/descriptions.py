"""Descriptions of fields: the strings below the annotations of a model, read from its source when they are asked for.

pydantic would read them when a class is defined, which takes as long as defining it, in every build.
"""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from textwrap import dedent


def field_descriptions(model: type, base: type) -> dict[str, str]:
    """Return the descriptions of the fields that a class and those between it and `base` define, by name."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__[: model.__mro__.index(base)]):
        found |= _own(each)
    return found


def _own(model: type) -> dict[str, str]:
    [definition] = ast.parse(dedent(inspect.getsource(model))).body
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(definition.body if isinstance(definition, ast.ClassDef) else ())
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
