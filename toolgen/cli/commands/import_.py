"""`toolgen import`: tools that others describe, to specs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.named_files import STDIN, read_named
from toolgen.cli.output import diagnostics_json, format_option, show_diagnostics, show_json
from toolgen.cli.spec_place import spec_place
from toolgen.compiler.config import load_config
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.importers.trial import try_name
from toolgen.compiler.resolve.keywords import DIALECTS
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from toolgen.compiler.importers.mcp import Imported

_LARGEST: Final = 64 * 1024 * 1024
"""In bytes: what is read of an answer. What is written of it, without what specs leave out, may have 10 MB."""

_LEFT_OUT: Final = frozenset({"TG803", "TG804", "TG805"})
"""Findings about entries of the list that are left out: one for each, with a name or without."""


@click.group("import")
def command() -> None:
    """Write specs of tools that others describe."""


@command.command("mcp")
@click.argument("file")
@click.option("--toolset", required=True, metavar="mcp.NAME", help="The toolset that the tools go to.")
@click.option("--dialect", type=click.Choice(list(DIALECTS)), help="The JSON Schema draft of schemas that name none.")
@click.option(
    "--out", metavar="PATH", help="The spec to write; specs/NAME.yaml, or where the toolset is already, if left out."
)
@format_option
def mcp(*, file: str, toolset: str, dialect: str | None, out: str | None, style: str) -> int:
    """Write a spec of the tools in FILE (`-` for stdin), which is what an MCP server answered to `tools/list`, as JSON.

    A tool that is broken at its source is reported and left out. Where the spec is there already, keys of tools and
    all that people decided stay, and what the server says of each tool is brought up to date.
    """
    config = load_config(Path.cwd())
    if problems := try_name(toolset, "mcp"):
        raise click.UsageError(f"`{toolset}` cannot be the toolset of a server: {problems[0]}.")
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
        written = {"file": place.path, **_json(imported)} if imported else {"file": None}
        show_json(written | {"diagnostics": diagnostics_json(sink)})
    else:
        present = {place.path: place.present.text} if place.present else {}
        show_diagnostics(sink, {shown: text, **present})
        _show(place.path, imported, left_out=sum(found.code in _LEFT_OUT for found in sink))
    return 1 if sink.has_errors or imported is None else 0


def _shown(name: str, root: Path) -> str:
    """How a file is called in messages: relative to the project where it lies inside."""
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


def _json(imported: Imported) -> dict[str, Any]:
    return {
        "tools": imported.total,
        "added": list(imported.added),
        "changed": list(imported.changed),
        "gone": list(imported.gone),
        "left_out": list(imported.left_out),
        "warnings": dict(imported.warnings),
    }


def _show(path: str, imported: Imported | None, *, left_out: int) -> None:
    if imported is None:
        click.echo(f"{path}: not written", err=True)
        return
    counts = {"new": imported.added, "changed": imported.changed, "gone": imported.gone}
    changes = ", ".join(f"{len(keys)} {what}" for what, keys in counts.items() if keys) or "up to date"
    click.echo(f"{path}: {imported.total} tool{'s' * (imported.total != 1)}, {changes}")
    if left_out:
        click.echo(f"{left_out} left out", err=True)
    if imported.warnings:
        named = ", ".join(f"{CODES[code].name} {count}" for code, count in sorted(imported.warnings.items()))
        click.echo(f"`toolgen build` warns of what is odd in their schemas: {named}", err=True)
