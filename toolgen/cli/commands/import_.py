"""`toolgen import`: tools that others describe, to specs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from toolgen.cli.output import diagnostics_json, format_option, show_diagnostics, show_json
from toolgen.cli.project import project
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.importers.trial import Circumstances, check_toolset
from toolgen.compiler.resolve.keywords import DIALECTS
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import MappingNode, ScalarNode
from toolgen.compiler.source.read import SUFFIXES, read_specs

if TYPE_CHECKING:
    from toolgen.compiler.config import Config, Target
    from toolgen.compiler.importers.mcp import Imported
    from toolgen.compiler.source.read import SpecFile


@click.group("import")
def command() -> None:
    """Write specs of tools that others describe."""


@command.command("mcp")
@click.argument("file", type=click.File("rb"))
@click.option("--toolset", required=True, metavar="mcp.NAME", help="The toolset that the tools go to.")
@click.option("--dialect", type=click.Choice(list(DIALECTS)), help="The JSON Schema draft of schemas that name none.")
@click.option("--out", metavar="PATH", help="The spec to write; by default specs/NAME.yaml, or where the toolset is already.")
@format_option
def mcp(*, file: IO[bytes], toolset: str, dialect: str | None, out: str | None, style: str) -> int:
    """Write a spec of the tools in FILE, which is what an MCP server answered to `tools/list`, as JSON.

    A tool that is broken at its source is reported and left out. Where the spec is there already, keys of tools and
    all that people decided stay, and what the server says of each tool is brought up to date.
    """
    config = project()
    _check_name(toolset)
    target = _target(config, out)
    place = _place(config, target, toolset, out)
    shown = _shown(file.name, config.root)
    text = _text(file, shown)
    sink = Diagnostics()
    spec = place.present or place.path
    imported = import_mcp(text, shown, spec, toolset, sink, dialect=dialect, profile=target.profile)
    if imported is not None:
        _write(config.root, place.path, imported.text)
    if style == "json":
        show_json({"file": place.path if imported else None, **_json(imported), "diagnostics": diagnostics_json(sink)})
    else:
        sources = {shown: text} | ({place.path: place.present.text} if place.present else {})
        show_diagnostics(sink, sources, config.root)
        _show(place.path, imported)
    return 1 if sink.has_errors or imported is None else 0
