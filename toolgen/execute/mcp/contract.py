"""The contract: tools as they were compiled, held against what the server offers on each connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.drift.changes import CompiledTool, Part, ToolChange, compare_tool
from toolgen.schema.json_values import is_object
from toolgen.schema.subschemas import with_one_of
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from toolgen.runtime.catalog.definition import ToolDefinition


class Contract:
    """The compiled tools of a toolset, by ident; `changes` are those of each, as of the last list of tools."""

    def __init__(self, definitions: Mapping[str, ToolDefinition]) -> None:
        self._definitions = definitions
        self._compiled = {ident: compiled_tool(definition) for ident, definition in definitions.items()}
        self._listed: Sequence[Mapping[str, Any]] | None = None
        self._by_name: dict[str, list[Mapping[str, Any]]] = {}
        self._changes: dict[str, tuple[ToolChange, ...]] = {}

    def changes(self, ident: str, listed: Sequence[Mapping[str, Any]]) -> tuple[ToolChange, ...]:
        """Return what changed of a tool in a list; compared at the first call after the list came."""
        if listed is not self._listed:
            self._listed, self._changes = listed, {}
            self._by_name = {}
            for tool in listed:
                self._by_name.setdefault(tool["name"], []).append(tool)
        if ident not in self._changes:
            self._changes[ident] = self._compared(ident)
        return self._changes[ident]

    def _compared(self, ident: str) -> tuple[ToolChange, ...]:
        compiled = self._compiled[ident]
        offered = self._by_name.get(compiled.name)
        if offered is None:
            return (ToolChange(tool=compiled.name, part=Part.REMOVED),)
        metadata = self._definitions[ident].metadata
        return tuple(
            change for each in offered for change in compare_tool(compiled, as_specified(each, metadata))
        )  # of a tool that is listed twice, either may be the one that is called


def as_specified(offered: Mapping[str, Any], metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an offered tool with what its spec changes in the args: injected fields, and `one_of`."""
    injected, one_of = metadata.get("inject", ()), metadata.get("one_of", ())
    args = offered.get("inputSchema")
    if not (injected or one_of) or not is_object(args):
        return offered
    if injected:
        fields = {name: field for name, field in args.get("properties", {}).items() if name not in injected}
        required = [name for name in args.get("required", ()) if name not in injected]
        args = {**args, "properties": fields, "required": required}
    return {**offered, "inputSchema": with_one_of(args, one_of)}


def compiled_tool(definition: ToolDefinition) -> CompiledTool:
    """Return a compiled tool as it is compared with its server's."""
    metadata = definition.metadata
    name = metadata.get("source_name") or definition.name.rpartition(".")[2]
    has_result = definition.result_schema not in (None, {}, True) and not metadata.get("result_inferred")
    return CompiledTool(
        name=name,
        args=definition.input_schema,
        result=definition.result_schema if has_result else (True if "imported" in metadata else None),
        title="" if definition.title == title_of_name(name) else definition.title,
        description=definition.description,
        imported=metadata.get("imported", ""),
        annotations=metadata.get("annotations", {} if "imported" in metadata else None),
    )
