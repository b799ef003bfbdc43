"""Results: recorded results of tools whose server has no result schema, to schemas that are marked as inferred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genson import SchemaBuilder  # type: ignore[import-untyped]  # it has no annotations

from toolgen.compiler.importers.update import source_name
from toolgen.schema.json_values import is_array, is_object, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.source.read import SpecFile


def with_inferred_results(
    spec: SpecFile, recorded: Mapping[str, Sequence[Any]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the data of a spec with a result schema for each tool that has none and was recorded; and their keys.

    `recorded` are values by the ident of the tool, its key, or its name at its source. A schema that was inferred
    before is widened.
    """
    data: dict[str, Any] = spec.root.to_data()
    tools: dict[str, dict[str, Any]] = data["tools"]
    inferred = {
        key: {**tool, "result": schema, "result_inferred": True}
        for key, tool in tools.items()
        if (values := _of_tool(recorded, f"{data['toolset']}.{key}", key, source_name(key, tool)))
        and (schema := _widened(tool, values)) not in (None, tool.get("result"))
    }
    return {**data, "tools": {**tools, **inferred}}, tuple(inferred)


def recorded_value(result: Any) -> tuple[bool, Any]:
    """Return whether a recorded result tells something, and the value that a call has of it.

    It is the value itself, or a `CallToolResult` of MCP, from which the executor takes its structured content, the JSON
    or the text of its only block, or its blocks. The result of a failed call tells nothing.
    """
    if not _is_call_tool_result(result):
        return True, result
    if result.get("isError"):
        return False, None
    if "structuredContent" in result:
        return True, result["structuredContent"]
    content: list[Any] = result["content"]
    only = content[0] if len(content) == 1 else {}
    if only.keys() != {"type", "text"}:
        return True, content
    return True, value_of_text(only["text"])


def value_of_text(text: str) -> Any:
    """Return the JSON that a text result is, as the executor reads it for a tool with a result schema, or the text."""
    try:
        return value_of(text)
    except (ValueError, RecursionError):
        return text


def _of_tool(recorded: Mapping[str, Sequence[Any]], *names: str) -> list[Any]:
    return [value for name in dict.fromkeys(names) for value in recorded.get(name, ())]


def _is_call_tool_result(result: Any) -> bool:
    if not is_object(result):
        return False
    content = result.get("content")
    return is_array(content) and all(is_object(block) and "type" in block for block in content)


def _widened(tool: Mapping[str, Any], values: Sequence[Any]) -> Any:
    """Return a schema of all values, and of those of an earlier inference; None for a tool with a schema of its own."""
    if "result" in tool and not tool.get("result_inferred"):
        return None
    builder = SchemaBuilder()
    if "result" in tool:
        builder.add_schema(tool["result"])
    for value in values:
        builder.add_object(value)
    return {key: value for key, value in builder.to_schema().items() if key != "$schema"}
