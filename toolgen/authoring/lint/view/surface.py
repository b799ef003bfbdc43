"""The surface: how many bytes of a request tools take, as each presentation shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.messages import OfferedTool
from toolgen.providers.table import provider, spelled
from toolgen.schema.compact.compact import model_args_schema
from toolgen.schema.json_values import compact_json
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.tool_use import LAYERS
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.authoring.lint.view.project import Project
    from toolgen.compiler.ir.catalog import Tool
    from toolgen.providers.protocol import Provider

_MEASURED: Final = "openai"
"""The provider whose requests are measured; those of others differ by a few bytes for each tool."""


def offered_tool(project: Project, tool: Tool, to: Provider) -> OfferedTool:
    """Return a tool as a provider gets it."""
    return OfferedTool(
        name=spelled(tool.ident, tool.wire_name or wire_name(tool.ident), to),
        description=tool.description,
        args=project.once(_args)[tool.ident],
        title=tool.title,
        permission=tool.permission.value,
    )


def _args(project: Project) -> dict[str, Any]:
    return {tool.ident: model_args_schema(tool.args.json, tool.inject) for tool in project.catalog.tools}


def bytes_of(project: Project, tool: Tool) -> int:
    """Return the bytes of one tool in a request, as compact JSON in UTF-8."""
    return project.once(_sizes).get(tool.ident, 0)


def surfaces(project: Project, tools: Sequence[Tool]) -> Iterator[tuple[str, list[str], int]]:
    """Yield each presentation of the configuration that can be measured, its layers, and the bytes of the tools.

    `enumerate-all` shows all of them. The others show few tools, whatever their number, and are not measured here.
    """
    layers = [layer for layer in LAYERS if project.config.tool_use.presentations[layer] == "enumerate-all"]
    if layers:
        yield "enumerate-all", list(layers), sum(bytes_of(project, tool) for tool in tools)


def _sizes(project: Project) -> dict[str, int]:
    made = provider(_MEASURED)
    sizes: dict[str, int] = {}
    for tool in project.catalog.tools:
        if tool.ident in DISCOVERY:
            continue
        listed = made.tools([offered_tool(project, tool, made)]).fields.get("tools", [])
        sizes[tool.ident] = sum(len(compact_json(each).encode()) for each in listed)
    return sizes
