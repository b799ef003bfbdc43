"""The package of one toolset: idents, codecs, calls, dispatch, transforms, and the names it re-exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, first_line, literal
from toolgen.compiler.emit.python.annotations import FORMATS, FORMATS_MODULE, annotation, names_in
from toolgen.compiler.emit.python.calls import emit_calls
from toolgen.compiler.emit.python.transforms import (
    emit_transforms,
    payload_transform,
    result_transform,
    transform_names,
)
from toolgen.compiler.emit.python.types import emit_types, module_of
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.compiler.ir.shapes import ClassType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.compiler.emit.python.models import Model
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


# Execution of a toolset by the methods that its tools are bound to, and what is missing for that.


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


_ORIGINS: Final = {"JsonValue": "pydantic", "Literal": "typing", **dict.fromkeys(FORMATS.values(), FORMATS_MODULE)}
_REGISTRATION: Final = {
    ToolsetKind.AGENT: "inline=True,",
    ToolsetKind.MCP: "decode_in_executor=True,",
    ToolsetKind.HTTP: "decode_in_executor=True,",
}


def emit_toolset(toolset: Toolset, models: Mapping[str, Model]) -> dict[str, str]:
    """Return the files of one toolset, by path below its package. A toolset without tools has only types."""
    files = emit_types(toolset, models)
    if exports(toolset):
        files["__init__.py"] = _package(toolset)
    if toolset.tools:
        files["idents.py"] = _idents(toolset)
        files["codecs.py"] = _codecs(toolset)
        files["calls.py"] = emit_calls(toolset)
        files["dispatch.py"] = _dispatch(toolset)
    if transform_names(toolset):
        files["transforms.py"] = emit_transforms(toolset)
    return files


def exports(toolset: Toolset) -> dict[str, list[str]]:
    """Return what a toolset's package exports: relative module to names, including types of shared files."""
    offered: dict[str, list[str]] = {}
    if toolset.tools:
        offered["."] = ["codecs"]
        offered[".calls"] = [tool.names.call for tool in toolset.tools]
        offered[".dispatch"] = ["Handlers", "executor", "new_registration"]
        if is_bound(toolset):
            offered[".dispatch"] += ["ServiceMethods", "executor_from"]
            offered[".dispatch"] += ["injections"] if injections(toolset) else []
        offered[".idents"] = [tool.names.constant for tool in toolset.tools]
    if names := transform_names(toolset):
        offered[".transforms"] = names
    for name, module in module_of(toolset).items():
        offered.setdefault(module, []).append(name)
    return offered


def root_of(package: tuple[str, ...]) -> str:
    """Return the relative import of the generated root, from a module directly in `package`."""
    return "." * (len(package) + 1)


def type_imports(toolset: Toolset, names: Iterable[str]) -> str:
    """Return imports of named types of a toolset, for a module in its package."""
    homes = module_of(toolset)
    origins: dict[str, list[str]] = {}
    for name in names:
        origins.setdefault(homes[name], []).append(name)
    return import_lines(origins)


def _signature_types(toolset: Toolset) -> list[str]:
    return [name for tool in toolset.tools for name in (tool.names.args, tool.names.result)]


def _tool(tool: Tool, indent: str) -> dict[str, Any]:
    return {
        "ident": literal(tool.ident),
        "constant": tool.names.constant,
        "function": tool.names.function,
        "args": tool.names.args,
        "result": tool.names.result,
        "docstring": docstring(first_line(tool.description), indent),
    }


def _idents(toolset: Toolset) -> str:
    return render(
        "idents.py.jinja",
        {
            "docstring": docstring(f"Idents of the tools of `{toolset.name}`.", ""),
            "type_imports": type_imports(toolset, _signature_types(toolset)),
            "tools": [_tool(tool, "") for tool in toolset.tools],
        },
    )


def _codecs(toolset: Toolset) -> str:
    return render(
        "codecs.py.jinja",
        {
            "docstring": docstring(
                f"Codecs of `{toolset.name}`: JSON to typed values and back, checked against the schemas of the tools.",
                "",
            ),
            "root": root_of(toolset.package),
            "type_imports": type_imports(toolset, _signature_types(toolset)),
            "tools": [_tool(tool, "") for tool in toolset.tools],
        },
    )


def _dispatch(toolset: Toolset) -> str:
    names = {*_signature_types(toolset)}
    bound: dict[str, Any] = {"methods": [], "bound": [], "injections": []}
    if is_bound(toolset):
        names |= names_used(toolset)
        bound = {"methods": methods(toolset), "bound": handlers(toolset), "injections": injections(toolset)}
    imports: dict[str, set[str]] = {"typing": {"TYPE_CHECKING", "Protocol"}}
    types: dict[str, set[str]] = {"toolgen.contract.records": {"Returns", "ToolCallMeta", "ToolExecutor"}}
    if bound["bound"]:
        imports["toolgen.contract.binding"] = {"bound"}
        types["collections.abc"] = {"Awaitable"}
    if bound["injections"]:
        types["collections.abc"].add("Callable")
        types["typing"] = {"Any"}
    homes = module_of(toolset)
    for name in names:
        origin = homes.get(name) or _ORIGINS.get(name)
        if origin is not None:
            types.setdefault(origin, set()).add(name)
    summary = "Run the tools of this toolset with the methods of `handlers`."
    if missing := gaps(toolset):
        intro = "There is no `executor_from`, which runs tools with the methods that they are bound to:"
        summary = "\n".join([summary, "", intro, *(f"- {gap}" for gap in missing)])
    return render(
        "dispatch.py.jinja",
        {
            **bound,
            "imports": import_lines({".": {"idents"}, "toolgen.contract.records": {"ToolsetRegistration"}, **imports}),
            "executor_docstring": docstring(summary, "    "),
            "docstring": docstring(f"Handlers and executors of the tools of `{toolset.name}`.", ""),
            "handlers_docstring": docstring(f"One method for each tool of `{toolset.name}`, sync or async.", "    "),
            "type_imports": import_lines(types),
            "toolset": literal(toolset.name),
            "tools": [_tool(tool, "        ") for tool in toolset.tools],
            "registration": _REGISTRATION.get(toolset.kind, ""),
        },
    )


def _package(toolset: Toolset) -> str:
    summary = first_line(toolset.description)
    return render(
        "package.py.jinja",
        {
            "docstring": docstring(f"`{toolset.name}`: {summary}" if summary else f"`{toolset.name}`.", ""),
            "imports": import_lines(exports(toolset), reexport=True),
            "origins": origins_table(exports(toolset)),
        },
    )


def origins_table(offered: Mapping[str, Iterable[str]], package: str = ".") -> str:
    """Return the table of a lazy package: name to defining module; names of `package` itself are modules."""
    origins = {
        name: f"{module.removesuffix('.')}.{name}" if module == package else module
        for module, names in offered.items()
        for name in names
    }
    return literal(dict(sorted(origins.items())))
