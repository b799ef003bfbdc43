"""The package of one toolset: idents, codecs, calls, dispatch, transforms, and the names it re-exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, first_line, literal
from toolgen.compiler.emit.python.annotations import FORMATS, FORMATS_MODULE
from toolgen.compiler.emit.python.bindings import gaps, handlers, injections, is_bound, methods, names_used
from toolgen.compiler.emit.python.calls import emit_calls
from toolgen.compiler.emit.python.transforms import emit_transforms, transform_names
from toolgen.compiler.emit.python.types import emit_types, module_of
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.catalog import ToolsetKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.compiler.emit.python.models import Model
    from toolgen.compiler.ir.catalog import Tool, Toolset


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
