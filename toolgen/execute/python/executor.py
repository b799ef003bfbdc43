"""The executor of tools with a `handler`: each call runs a function, a method or a tool object of the host's code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.python.modules import ForeignModule, HandlerModules
from toolgen.execute.python.objects import tool_of
from toolgen.execute.python.references import NotThere, Objects
from toolgen.runtime.base.errors import CatalogError, ExecutorError, ToolNotFound

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.execute.python.frameworks import PythonTool
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition


class PythonExecutor:
    """Runs tools in Python, by ident. It fits `ToolExecutor`, with `decode_in_executor`."""

    def __init__(self, tools: Mapping[str, PythonTool]) -> None:
        self._tools = tools

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. Raises `ToolNotFound`, and what the code raises."""
        tool = self._tools.get(request.name)
        if tool is None:
            raise ToolNotFound(request.name)
        payload = request.payload
        if meta.injected:
            payload = json.dumps({**json.loads(payload), **meta.injected})
        return await tool.run(payload, meta)


def python_executor(catalog: Catalog, toolset: str, modules: HandlerModules | None = None) -> ToolsetRegistration:
    """Return what runs a toolset by the handlers of its tools: `Runtime(executors=[executor(catalog, "shop")])`.

    `modules` are those that specs may name; by default those beside the generated package, without what is installed.
    They are imported here. Tools without a `handler` are not available in runs. Raises `ExecutorError` for a
    toolset that is missing or has no tool with a handler, and for a handler that is missing, of another module, or does
    not take the args of its tool; and whatever the code raises when it is imported.
    """
    if toolset not in catalog.toolsets:
        raise ExecutorError(f"there is no toolset {toolset} in the catalog")
    objects = Objects(are_called=True, modules=HandlerModules.of_catalog(catalog) if modules is None else modules)
    tools: dict[str, PythonTool] = {}
    for ident in catalog.toolsets[toolset]:
        definition = catalog.definition(ident)
        if reference := definition.settings.handler:
            tools[ident] = _tool(definition, reference, objects)
    if not tools:
        raise ExecutorError(f"no tool of {toolset} has a `handler`")
    missing = frozenset(catalog.toolsets[toolset]) - tools.keys()
    return ToolsetRegistration(
        toolset=toolset, executor=PythonExecutor(tools), decode_in_executor=True, missing=missing
    )


def _tool(definition: ToolDefinition, reference: str, objects: Objects) -> PythonTool:
    try:
        tool = tool_of(objects.find(reference), objects)
        args = {*definition.input_schema.get("properties", ()), *definition.settings.inject}
        misfit = tool.misfit(args)
    except (NotThere, ForeignModule, CatalogError) as error:
        raise ExecutorError(f"the handler of {definition.name}, {reference}, cannot be used: {error}") from error
    if misfit:
        raise ExecutorError(
            f"the handler of {definition.name} has changed: {misfit}; import it again with `toolgen import python`"
        )
    return tool
