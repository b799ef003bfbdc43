"""`calls.py`: one function for each tool, with its args as keywords, that creates a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, first_line, literal
from toolgen.compiler.emit.python.annotations import FORMATS, FORMATS_MODULE, annotation, names_in
from toolgen.compiler.emit.python.types import module_of
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.shapes import ClassRef, ClassType, accepts_null, has_formats

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


_PLAIN: Final = frozenset({
    *("type", "properties", "required", "additionalProperties", "$defs", "definitions", "$schema"),
    *("title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly"),
})  # fmt: skip
"""Keywords of an object that do not depend on whether optional fields are given."""

_LONGEST: Final = 100
"""Maximum characters of a default in a signature; a longer one is left to the schema."""


def emit_calls(toolset: Toolset) -> str:
    """The module `calls.py` of a toolset."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    homes = module_of(toolset)
    calls = []
    used: set[str] = set()
    for tool in toolset.tools:
        fields = _fields(tool, classes)
        shown = _shown_defaults(tool, fields)
        parameters = [_parameter(field, is_shown=field.wire in shown) for field in fields]
        used |= set().union(*(names_in(parameter.partition(":")[2]) for parameter in parameters))
        calls.append(
            {
                "function": tool.names.call,
                "constant": tool.names.constant,
                "parameters": parameters,
                "arguments": f"{{{', '.join(f'{literal(field.wire)}: {field.python}' for field in fields)}}}",
                "defaults": literal(shown) if shown else "",
                "docstring": docstring(_docstring(tool, fields, shown), "    "),
            }
        )
    types: dict[str, set[str]] = {"toolgen.contract.records": {"ToolRequest"}}
    imports: dict[str, set[str]] = {
        ".": {"codecs", "idents"},
        "toolgen.runtime.codec.codec": {"build_call"},
        "typing": {"TYPE_CHECKING"},
    }
    for name in used:
        if name in homes:
            types.setdefault(homes[name], set()).add(name)
        elif name == "JsonValue":
            types.setdefault("pydantic", set()).add(name)
        elif name in FORMATS.values():
            types.setdefault(FORMATS_MODULE, set()).add(name)
        elif name == "Literal":
            imports["typing"].add(name)
        elif name == "Absent":
            types["toolgen.contract.records"].add(name)
            imports["toolgen.contract.records"] = {"ABSENT"}
    return render(
        "calls.py.jinja",
        {
            "docstring": docstring(f"Call builders of `{toolset.name}`: typed keywords in, a request out.", ""),
            "imports": import_lines(imports),
            "type_imports": import_lines(types),
            "calls": calls,
        },
    )


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


def _docstring(tool: Tool, fields: Sequence[Field], shown: Collection[str]) -> str:
    """Return the docstring of a builder: the descriptions of the tool and of its args."""
    notes = {field.python: _note(field, is_shown=field.wire in shown) for field in fields}
    lines = [f"    {name}: {note}" for name, note in notes.items() if note]
    return "\n".join(
        [
            f"Create a request for `{tool.ident}`: {first_line(tool.description)}",
            "",
            *(["Args:", *lines, ""] if lines else []),
            "Raises InvalidPayload if the args do not fit the schema.",
        ]
    )


def _note(field: Field, *, is_shown: bool) -> str:
    """Return the description of an arg on one line, with the default if the signature does not have it."""
    text = " ".join(field.description.split())
    if field.has_default and not field.required and not is_shown and field.default is not None:
        default = f"Default: {literal(field.default)}"
        text = f"{text} {default}".strip() if len(default) <= _LONGEST else text
    return text


def _parameter(field: Field, *, is_shown: bool) -> str:
    kind = annotation(field.shape)
    if field.required:
        return f"{field.python}: {kind}"
    if is_shown:
        return f"{field.python}: {kind} = {literal(field.default)}"
    if not accepts_null(field.shape):
        return f"{field.python}: {kind} | None = None"
    return f"{field.python}: {kind} | Absent = ABSENT"
