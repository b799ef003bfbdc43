"""Emit: IR in, `{path: text}` of a whole package out. Only templates are read, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolgen import __version__
from toolgen.compiler.emit.catalog_json import emit_catalog_json, tool_line
from toolgen.compiler.emit.documentation import emit_tools_md, tool_section
from toolgen.compiler.emit.literals import Headers, docstring, literal, with_header
from toolgen.compiler.emit.python.actions import emit_actions
from toolgen.compiler.emit.python.models import render_models
from toolgen.compiler.emit.python.toolset import emit_agents, emit_package
from toolgen.compiler.emit.python.types import ToolsetTypes, emit_shared_types
from toolgen.compiler.emit.templates import render
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassType
from toolgen.contract.version import CONTRACT_VERSION
from toolgen.spec.text import first_line

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Tool, Toolset


@dataclass(frozen=True, slots=True)
class Unit:
    """Tools of a toolset that are emitted together; and with `has_rest` all that the toolset has beside its tools.

    `key` determines all that it gives to a package.
    """

    key: str
    idents: frozenset[str]
    has_rest: bool


@dataclass(frozen=True, slots=True)
class Output:
    """What a unit gives to a package.

    `files` are modules, by path below the package; `lines` in `catalog.json` and `sections` in `TOOLS.md` are those of
    its tools, by ident.
    """

    files: Mapping[str, str]
    lines: Mapping[str, str]
    sections: Mapping[str, str]

    def emptied(self) -> Output:
        """Return the output with the paths of its modules, without their text."""
        return self.formatted(dict.fromkeys(self.files, ""))

    def formatted(self, files: Mapping[str, str]) -> Output:
        """Return the output with its modules as they are in `files`."""
        return replace(self, files={path: files[path] for path in self.files})


def emit(catalog: Catalog, export: Sequence[str] = ()) -> dict[str, str]:
    """Return the files of a generated package, unformatted, by path below its root; `export` are names of providers."""
    return emit_new(catalog, export, units={}, known={}, patterns={})[0]


def emit_new(
    catalog: Catalog,
    export: Sequence[str],
    *,
    units: Mapping[str, Sequence[Unit]],
    known: Mapping[str, Output],
    patterns: dict[str, str],
) -> tuple[dict[str, str], dict[str, Output]]:
    """Return the files of a package as `emit` does, without the modules of `known`, and the outputs of other units.

    The modules of these are among the files, and empty in the outputs. `units` are those of toolsets, by name; another
    toolset is one. `known` has outputs of units that were emitted before, by key, and `patterns` those of
    `render_models`.
    """
    outputs = dict(known)
    made: dict[str, str] = {}
    # One unit after the other: what is made of fields takes ten times the memory of the result.
    for toolset in catalog.toolsets:
        wanted = [unit for unit in units.get(toolset.name) or [_whole(toolset)] if unit.key not in known]
        for key, output in emit_units(toolset, wanted, patterns):
            made.update(output.files)
            outputs[key] = output.emptied()
    files = {
        "__init__.py": render(
            "root.py.jinja", {"contract_version": CONTRACT_VERSION, "generator_version": literal(__version__)}
        ),
        "py.typed": "",
        "catalog.json": emit_catalog_json(catalog, _merged(output.lines for output in outputs.values())),
        "TOOLS.md": emit_tools_md(catalog, _merged(output.sections for output in outputs.values())),
        **emit_agents(catalog),
        **emit_actions(catalog),
    }
    if catalog.shared_types:
        [shared] = render_models([[each for each in catalog.shared_types if isinstance(each, ClassType)]], patterns)
        files[f"{PACKAGE_MODULE}.py"] = emit_shared_types(catalog.shared_types, shared)
    taken = {path for output in outputs.values() for path in output.files}
    others = {**_packages([*files, *taken]), **files}
    if export:
        from toolgen.compiler.emit.providers import emit_providers  # on use: few packages are exported

        others |= emit_providers(catalog, export)
    head = Headers(catalog)
    files = {path: head.added(path, text) for path, text in others.items() if path not in taken}
    new = {key: output for key, output in outputs.items() if key not in known}
    return dict(sorted({**files, **made}.items())), new


def emit_units(toolset: Toolset, units: Iterable[Unit], patterns: dict[str, str]) -> Iterator[tuple[str, Output]]:
    """Return what units of a toolset are emitted to, by their keys; new `patterns` of `render_models` are added."""
    types: ToolsetTypes | None = None
    for unit in units:
        types = types or ToolsetTypes(toolset)
        yield unit.key, _output(unit, types, patterns)


def _merged(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {key: text for part in parts for key, text in part.items()}


def _whole(toolset: Toolset) -> Unit:
    return Unit(toolset.name, frozenset(tool.ident for tool in toolset.tools), has_rest=True)


def _output(unit: Unit, types: ToolsetTypes, patterns: dict[str, str]) -> Output:
    toolset = types.toolset
    tools = [tool for tool in toolset.tools if tool.ident in unit.idents]
    rest = types.modules_without(toolset.tools) if unit.has_rest else []
    classes = types.classes_of([*map(types.module_of, tools), *rest])
    [models] = render_models([_described(classes, tools)], patterns)
    modules = {
        **{f"{types.module_of(tool)}.py": types.of_tool(tool, models) for tool in tools},
        **{f"{module}.py": types.of_several(module, models) for module in rest},
        **(emit_package(types) if unit.has_rest else {}),
    }
    folder = "/".join(toolset.package)
    files = {f"{folder}/{path}": text for path, text in modules.items()}
    return Output(
        files={path: with_header(path, text, toolset.span.file) for path, text in files.items()},
        lines={tool.ident: tool_line(tool, toolset.package, types.named) for tool in tools},
        sections={tool.ident: tool_section(tool, types.classes) for tool in tools},
    )


def owners(catalog: Catalog) -> dict[str, str]:
    """Return the idents of the tools that own parts of the package, by `path#part`, or by path for whole files."""
    found: dict[str, str] = {}
    for toolset in catalog.toolsets:
        folder, modules = "/".join(toolset.package), {made.name: made.module for made in toolset.types}
        for tool in toolset.tools:
            keys = (
                f"catalog.json#{tool.ident}",
                f"TOOLS.md#{tool.ident}",
                f"{folder}/{modules[tool.names.args]}.py",
            )
            found.update(dict.fromkeys(keys, tool.ident))
    return found


def _described(classes: Sequence[ClassType], tools: Sequence[Tool]) -> list[ClassType]:
    """Return classes, with descriptions for those of args and results of tools whose schemas have none."""
    described: dict[str, str] = {}
    for tool in tools:
        short = first_line(tool.description)
        described[tool.names.args] = f"Args of `{tool.key}`: {short}"
        described[tool.names.result] = f"Result of `{tool.key}`: {short}"
    return [
        made if made.description.strip() else replace(made, description=described.get(made.name, ""))
        for made in classes
    ]


def _packages(files: Iterable[str]) -> dict[str, str]:
    """Return an `__init__.py` for every folder above a module."""
    folders = {
        "/".join(parts[:depth]) for path in files if (parts := path.split("/")) for depth in range(1, len(parts))
    }
    return {f"{folder}/__init__.py": _package(folder) for folder in folders}


def _package(folder: str) -> str:
    name = folder.replace("/", ".")
    return docstring(f"The package `{name}`.", "") + "\n"
