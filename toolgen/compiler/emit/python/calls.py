"""Call builders: one function for each tool, with its args as keywords, that creates a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.emit.python.annotations import annotation, names_in
from toolgen.compiler.ir.shapes import ClassRef, ClassType, accepts_null, has_formats

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


_PLAIN: Final = frozenset({
    *("type", "properties", "required", "additionalProperties", "$defs", "definitions", "$schema"),
    *("title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly"),
})  # fmt: skip
"""Keywords of an object that do not depend on whether optional fields are given."""


@dataclass(frozen=True, slots=True)
class Builder:
    """The call builder of a tool, as values of a template, and the names in its signature."""

    values: Mapping[str, Any]
    names: frozenset[str]


def call_builder(tool: Tool, toolset: Toolset) -> Builder:
    """Return the call builder of a tool. Its args are described by the class of the args, beside it."""
    fields = _fields(tool, {made.name: made for made in toolset.types if isinstance(made, ClassType)})
    shown = _shown_defaults(tool, fields)
    parameters = [_parameter(field, is_shown=field.wire in shown) for field in fields]
    text = f"Build a call of `{tool.ident}`. Raises InvalidPayload if the args do not fit the schema."
    values = {
        "function": tool.names.call,
        "ident": literal(tool.ident),
        "parameters": parameters,
        "arguments": f"{{{', '.join(f'{literal(field.wire)}: {field.python}' for field in fields)}}}",
        "defaults": literal(shown) if shown else "",
        "docstring": docstring(text, "    "),
    }
    return Builder(values, frozenset().union(*(names_in(each.partition(":")[2]) for each in parameters)))


def _fields(tool: Tool, classes: dict[str, ClassType]) -> list[Field]:
    """Return the args of callers: all except injected ones."""
    shape = tool.args.shape
    fields = classes[shape.name].fields if isinstance(shape, ClassRef) else ()
    given = [field for field in fields if field.wire not in tool.inject]
    return sorted(given, key=lambda field: not field.required)


def _shown_defaults(tool: Tool, fields: Sequence[Field]) -> dict[str, Any]:
    """Return the defaults in the signature, by wire name: immutable ones, such as numbers.

    A builder omits args that equal them. So there are none if other keywords depend on which args are given: exactly
    one of `one_of` must be given, even if it equals its default.
    """
    if not all(keyword in _PLAIN or keyword.startswith("x-") for keyword in tool.args.json):
        return {}
    return {
        field.wire: field.default
        for field in fields
        if field.has_default
        and not field.required
        and isinstance(field.default, str | int | float)
        and not has_formats(field.shape)
    }


def _parameter(field: Field, *, is_shown: bool) -> str:
    kind = annotation(field.shape)
    if field.required:
        return f"{field.python}: {kind}"
    if is_shown:
        return f"{field.python}: {kind} = {literal(field.default)}"
    if not accepts_null(field.shape):
        return f"{field.python}: {kind} | None = None"
    return f"{field.python}: {kind} | Absent = ABSENT"
