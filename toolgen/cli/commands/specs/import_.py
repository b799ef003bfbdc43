"""`toolgen import`: tool definitions in other formats, as specs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from toolgen.cli.commands.specs.import_openapi import openapi
from toolgen.cli.commands.specs.imported import imported_json, show_imported
from toolgen.cli.commands.specs.spec_place import spec_place
from toolgen.cli.named_files import STDIN, read_named
from toolgen.cli.output import diagnostics_json, format_option, show_diagnostics, show_json
from toolgen.compiler.config import load_config
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.importers.trial import try_name
from toolgen.compiler.resolve.schemas.keywords import DIALECTS
from toolgen.compiler.source.nodes import Source

_LARGEST: Final = 64 * 1024 * 1024
"""Maximum size in bytes of the input. The spec that is written may have 10 MB."""

_LEFT_OUT: Final = frozenset({"TG803", "TG804", "TG805"})
"""Codes that report an omitted entry: one finding per entry."""


@click.group("import")
def command() -> None:
    """Import tool definitions from other formats as specs."""


@command.command("mcp")
@click.argument("file")
@click.option("--toolset", required=True, metavar="mcp.NAME", help="The toolset to import the tools into.")
@click.option("--dialect", type=click.Choice(list(DIALECTS)), help="The draft of schemas without `$schema`.")
@click.option(
    "--out", metavar="PATH", help="The spec to write. Default: the file that has the toolset, or specs/NAME.yaml."
)
@format_option
def mcp(*, file: str, toolset: str, dialect: str | None, out: str | None, style: str) -> int:
    """Write a spec of the tools in FILE (`-` for stdin): an MCP server's JSON response to `tools/list`.

    An invalid tool is reported and omitted. If the spec exists, it is updated: tool keys and everything that was edited
    by hand stay, and what the server says of each tool is replaced.
    """
    config = load_config(Path.cwd())
    if problems := try_name(toolset, "mcp"):
        raise click.UsageError(f"`{toolset}` is not a valid toolset name for a server: {problems[0]}.")
    place = spec_place(config, toolset, out)
    shown = _shown(file, config.root)
    text = _text(file, shown)
    sink = Diagnostics()
    spec = place.present or place.path
    answer = Source(shown, text)
    imported = import_mcp(answer, spec, toolset, sink, dialect=dialect, profile=place.target.profile)
    if imported is not None:
        place.write(imported.text)
    if style == "json":
        written = {"file": place.path, **imported_json(imported)} if imported else {"file": None}
        show_json(written | {"diagnostics": diagnostics_json(sink)})
    else:
        present = {place.path: place.present.text} if place.present else {}
        show_diagnostics(sink, {shown: text, **present})
        show_imported(place.path, imported, left_out=sum(found.code in _LEFT_OUT for found in sink))
    return 1 if sink.has_errors or imported is None else 0


def _shown(name: str, root: Path) -> str:
    """The path shown in messages: relative to the project if the file is inside it."""
    if name == STDIN:
        return "<stdin>"
    path = Path(name).absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else name


def _text(file: str, shown: str) -> str:
    data = read_named(file, _LARGEST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{shown} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


command.add_command(openapi)
