"""Execution of a toolset by the methods that its tools are bound to, and what is missing for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.compiler.emit.literals import literal
from toolgen.compiler.emit.python.annotations import annotation, names_in
from toolgen.compiler.emit.python.transforms import payload_transform, result_transform
from toolgen.compiler.ir.shapes import ClassType

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


def is_bound(toolset: Toolset) -> bool:
    """Whether every tool is bound to a method, with a transform for each side."""
    return bool(toolset.tools) and not any(_gap(tool) for tool in toolset.tools)


def gaps(toolset: Toolset) -> list[str]:
    """Return what is missing to run a toolset by its methods; empty if no tool is bound to one."""
    if not any(tool.binding for tool in toolset.tools):
        return []
    return [gap for tool in toolset.tools if (gap := _gap(tool))]


def _gap(tool: Tool) -> str:
    if tool.binding is None:
        return f"`{tool.key}` is not bound to a method"
    if tool.binding.to_payload is None:
        return f"`{tool.key}` has no transform from its args to the payload of `{tool.binding.method}`"
    if tool.binding.to_result is None:
        return f"`{tool.key}` has no transform from the result of `{tool.binding.method}` to its own"
    return ""


def injected_fields(toolset: Toolset) -> dict[str, Field]:
    """Return the injected fields by JSON name. If fields share a name, the type is that of the first."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    return {
        field.wire: field
        for tool in reversed(toolset.tools)
        for name in _sides(tool)
        if name in classes
        for field in classes[name].fields
        if field.wire in tool.inject
    }


def _sides(tool: Tool) -> list[str]:
    payload = tool.binding.to_payload if tool.binding else None
    return [tool.names.args, *([payload.target_type] if payload else [])]


def methods(toolset: Toolset) -> list[dict[str, Any]]:
    """Return the methods that tools are bound to, for the template of `dispatch.py`."""
    used = {tool.binding.method for tool in toolset.tools if tool.binding}
    return [
        {"function": method.function, "payload": method.payload.type_name, "result": method.result.type_name}
        for method in toolset.methods
        if method.name in used
    ]


def handlers(toolset: Toolset) -> list[dict[str, str]]:
    """Return the handler of each tool, for the template of `dispatch.py`."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    functions = {method.name: method.function for method in toolset.methods}
    made: list[dict[str, str]] = []
    for tool in toolset.tools:
        assert tool.binding is not None
        assert tool.binding.to_payload is not None
        keywords = {step.target for step in tool.binding.to_payload.steps if step.source is None}
        fields = classes[tool.binding.to_payload.target_type].fields if keywords else ()
        made.append(
            {
                "constant": tool.names.constant,
                "method": functions[tool.binding.method],
                "to_payload": payload_transform(tool),
                "to_result": result_transform(tool),
                "injected": literal({field.python: field.wire for field in fields if field.python in keywords}),
            }
        )
    return made


def injections(toolset: Toolset) -> list[dict[str, str]]:
    """Return the parameters of the function `injections`; empty if two would have the same name."""
    fields = injected_fields(toolset)
    if len({field.python for field in fields.values()}) < len(fields):
        return []
    return [
        {"parameter": field.python, "wire": literal(wire), "type": annotation(field.shape)}
        for wire, field in sorted(fields.items())
    ]


def names_used(toolset: Toolset) -> set[str]:
    """Return the types in the signatures of methods and of injected fields."""
    named = {name for method in methods(toolset) for name in (method["payload"], method["result"])}
    return named.union(*(names_in(each["type"]) for each in injections(toolset)))
