"""`calls.py`: one function for each tool, with its args as keywords, that makes a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.emit.annotations import annotation, names_in
from toolgen.compiler.emit.literals import docstring, first_line, literal
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.emit.types import module_of
from toolgen.compiler.ir.shapes import MODELS, ClassRef, ClassType, accepts_null

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


def emit_calls(toolset: Toolset) -> str:
    """The module `calls.py` of a toolset."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    homes = module_of(toolset)
    calls = []
    used: set[str] = set()
    for tool in toolset.tools:
        fields = _fields(tool, classes)
        parameters = [_parameter(field) for field in fields]
        used |= set().union(*(names_in(parameter.partition(":")[2]) for parameter in parameters))
        calls.append(
            {
                "function": tool.names.call,
                "constant": tool.names.constant,
                "parameters": parameters,
                "arguments": f"{{{', '.join(f'{literal(field.wire)}: {field.python}' for field in fields)}}}",
                "docstring": docstring(
                    f"Ask for `{tool.ident}`: {first_line(tool.description)}\n\n"
                    "Raises InvalidPayload where the args do not fit the schema.",
                    "    ",
                ),
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
            types.setdefault(f".{MODELS}.{homes[name]}", set()).add(name)
        elif name == "JsonValue":
            types.setdefault("pydantic", set()).add(name)
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
    """The args that a caller gives: all but those that the host injects."""
    shape = tool.args.shape
    fields = classes[shape.name].fields if isinstance(shape, ClassRef) else ()
    given = [field for field in fields if field.wire not in tool.inject]
    return sorted(given, key=lambda field: not field.required)


def _parameter(field: Field) -> str:
    kind = annotation(field.shape)
    if field.required:
        return f"{field.python}: {kind}"
    if not accepts_null(field.shape):
        return f"{field.python}: {kind} | None = None"
    return f"{field.python}: {kind} | Absent = ABSENT"
