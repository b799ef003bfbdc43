"""Emit: IR in, `{path: text}` of a whole package out. Nothing is read but templates, and nothing is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgen import __version__
from toolgen.compiler.emit.actions import emit_actions
from toolgen.compiler.emit.agents import emit_agents
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.emit.documentation import emit_tool_schemas, emit_tools_md
from toolgen.compiler.emit.literals import docstring, first_line, literal
from toolgen.compiler.emit.models import render_models
from toolgen.compiler.emit.providers import emit_providers
from toolgen.compiler.emit.search_index import emit_search_index
from toolgen.compiler.emit.stubs import emit_stubs
from toolgen.compiler.emit.templates import render
from toolgen.compiler.emit.toolset import emit_toolset
from toolgen.compiler.emit.types import emit_shared_types
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassType
from toolgen.contract.version import CONTRACT_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.compiler.ir.catalog import Catalog, Toolset


def emit(catalog: Catalog, export: Sequence[str] = ()) -> dict[str, str]:
    """The files of a generated package, unformatted, by path below its root; `export` are names of providers."""
    shared, *models = render_models(
        [
            [made for made in catalog.shared_types if isinstance(made, ClassType)],
            *(_described_classes(toolset) for toolset in catalog.toolsets),
        ]
    )
    files = {
        "__init__.py": render(
            "root.py.jinja", {"contract_version": CONTRACT_VERSION, "generator_version": literal(__version__)}
        ),
        "py.typed": "",
        "catalog.json": emit_catalog_json(catalog),
        "tool_schemas.json": emit_tool_schemas(catalog),
        "search_index.json": emit_search_index(catalog),
        "stubs.json": emit_stubs(catalog),
        "TOOLS.md": emit_tools_md(catalog),
        **emit_agents(catalog),
        **emit_actions(catalog),
    }
    if catalog.shared_types:
        files[f"{PACKAGE_MODULE}.py"] = emit_shared_types(catalog.shared_types, shared)
    for toolset, rendered in zip(catalog.toolsets, models, strict=True):
        folder = "/".join(toolset.package)
        files.update({f"{folder}/{path}": text for path, text in emit_toolset(toolset, rendered).items()})
    return dict(sorted({**_packages(files), **files, **emit_providers(catalog, export)}.items()))


def _described_classes(toolset: Toolset) -> list[ClassType]:
    """The classes that a toolset defines; args and results that no schema describes say whose they are."""
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


def _packages(files: dict[str, str]) -> dict[str, str]:
    """An `__init__.py` for every folder on the way to a module."""
    folders = {
        "/".join(parts[:depth]) for path in files if (parts := path.split("/")) for depth in range(1, len(parts))
    }
    return {f"{folder}/__init__.py": _package(folder) for folder in folders}


def _package(folder: str) -> str:
    name = folder.replace("/", ".")
    return docstring(f"The package `{name}`.", "") + "\n"
