"""Emit: IR in, `{path: text}` of a whole package out. Only templates are read, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolgen import __version__
from toolgen.compiler.emit.catalog_json import emit_catalog_json, tool_lines
from toolgen.compiler.emit.documentation import emit_tools_md, tools_section
from toolgen.compiler.emit.literals import Headers, docstring, first_line, literal
from toolgen.compiler.emit.providers import emit_providers
from toolgen.compiler.emit.python.actions import emit_actions
from toolgen.compiler.emit.python.agents import emit_agents
from toolgen.compiler.emit.python.models import render_models
from toolgen.compiler.emit.python.toolset import emit_toolset
from toolgen.compiler.emit.python.types import emit_shared_types, module_of
from toolgen.compiler.emit.templates import render
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassType
from toolgen.contract.version import CONTRACT_VERSION

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Toolset


@dataclass(frozen=True, slots=True)
class ToolsetOutput:
    """What one toolset gives to a package, which depends on nothing but the toolset.

    `files` are its modules, by path below the package, `tools` its lines of `catalog.json`, by ident, and `section` is
    that of `TOOLS.md`.
    """

    files: Mapping[str, str]
    tools: Mapping[str, str]
    section: str

    def emptied(self) -> ToolsetOutput:
        """Return the part with the paths of its modules, without their text."""
        return self.formatted(dict.fromkeys(self.files, ""))

    def formatted(self, files: Mapping[str, str]) -> ToolsetOutput:
        """Return the part with its modules as they are in `files`."""
        return replace(self, files={path: files[path] for path in self.files})


def emit(catalog: Catalog, export: Sequence[str] = ()) -> dict[str, str]:
    """Return the files of a generated package, unformatted, by path below its root; `export` are names of providers."""
    return emit_new(catalog, export, known={}, patterns={})[0]


def emit_new(
    catalog: Catalog, export: Sequence[str], *, known: Mapping[str, ToolsetOutput], patterns: dict[str, str]
) -> tuple[dict[str, str], dict[str, ToolsetOutput]]:
    """Return the files of a package as `emit` does, without the modules of `known`, and the parts of other toolsets.

    The modules of these parts are among the files, and empty in the parts.
    `known` are the parts of toolsets that were emitted before, by name, and `patterns` those of `render_models`.
    """
    head = Headers(catalog)
    # One toolset after the other: what is made of a toolset's fields takes ten times the memory of the result.
    made = {toolset.name: _part(toolset, head, patterns) for toolset in catalog.toolsets if toolset.name not in known}
    parts = {**known, **made}
    lines = {ident: line for part in parts.values() for ident, line in part.tools.items()}
    files = {
        "__init__.py": render(
            "root.py.jinja", {"contract_version": CONTRACT_VERSION, "generator_version": literal(__version__)}
        ),
        "py.typed": "",
        "catalog.json": emit_catalog_json(catalog, lines),
        "TOOLS.md": emit_tools_md(catalog, {name: part.section for name, part in parts.items()}),
        **emit_agents(catalog),
        **emit_actions(catalog),
    }
    if catalog.shared_types:
        [shared] = render_models([[each for each in catalog.shared_types if isinstance(each, ClassType)]], patterns)
        files[f"{PACKAGE_MODULE}.py"] = emit_shared_types(catalog.shared_types, shared)
    modules = {path: text for part in made.values() for path, text in part.files.items()}
    folders = _packages([*files, *(path for part in parts.values() for path in part.files)])
    others = {**folders, **files, **emit_providers(catalog, export)}
    taken = {path for part in parts.values() for path in part.files}
    files = {path: head.added(path, text) for path, text in others.items() if path not in taken}
    return dict(sorted({**files, **modules}.items())), {name: part.emptied() for name, part in made.items()}


def _part(toolset: Toolset, head: Headers, patterns: dict[str, str]) -> ToolsetOutput:
    [models] = render_models([_described_classes(toolset)], patterns)
    folder = "/".join(toolset.package)
    files = {f"{folder}/{path}": text for path, text in emit_toolset(toolset, models).items()}
    return ToolsetOutput(
        files={path: head.added(path, text) for path, text in files.items()},
        tools=tool_lines(toolset),
        section=tools_section(toolset) if toolset.tools else "",
    )


def owners(catalog: Catalog) -> dict[str, str]:
    """Return the idents of the tools that own parts of the package, by `path#part`, or by path for whole files."""
    found: dict[str, str] = {}
    for toolset in catalog.toolsets:
        folder, homes = "/".join(toolset.package), module_of(toolset)
        for tool in toolset.tools:
            keys = (
                f"catalog.json#{tool.ident}",
                f"TOOLS.md#{tool.ident}",
                f"{folder}/{homes[tool.names.args].removeprefix('.')}.py",
            )
            found.update(dict.fromkeys(keys, tool.ident))
    return found


def _described_classes(toolset: Toolset) -> list[ClassType]:
    """Return the classes of a toolset, with descriptions for those of args and results whose schemas have none."""
    described: dict[str, str] = {}
    for tool in toolset.tools:
        short = first_line(tool.description)
        described[tool.names.args] = f"Args of `{tool.key}`: {short}"
        described[tool.names.result] = f"Result of `{tool.key}`: {short}"
    classes = [made for made in toolset.types if isinstance(made, ClassType) and made.module != PACKAGE_MODULE]
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
