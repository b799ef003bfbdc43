"""`toolgen import`: tool definitions in other formats, as specs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.commands.specs.checked import exit_code, show_checked
from toolgen.cli.commands.specs.import_openapi import openapi
from toolgen.cli.commands.specs.import_python import python
from toolgen.cli.commands.specs.spec_place import kept_path, stored_path
from toolgen.cli.consent import Consent
from toolgen.cli.mcp_import.answers import described_server, live_answer, require_mcp, saved_answer
from toolgen.cli.mcp_import.from_entries import import_entries
from toolgen.cli.mcp_import.results import infer_results
from toolgen.cli.mcp_import.writing import place_of, write_spec
from toolgen.cli.output import echo, format_option, show_json
from toolgen.compiler.importers.bounds import TooLong, bounded_time
from toolgen.compiler.project.config import load_config
from toolgen.compiler.resolve.schemas.keywords import DIALECTS
from toolgen.execute.reach import reached_by_server
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from toolgen.cli.commands.specs.spec_place import SpecPlace
    from toolgen.cli.mcp_import.from_entries import EntryImport
    from toolgen.compiler.project.config import Config
    from toolgen.compiler.source.nodes import Source


class _Bounded(click.Group):
    """The importers: each has the same time."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run an importer. Raises click.UsageError where it takes too long."""
        try:
            with bounded_time():
                return super().invoke(ctx)
        except TooLong as error:
            advice = "Import the tools in parts, each into its own toolset; a file that was not written is as it was."
            raise click.UsageError(f"Given up: {error}. {advice}") from error


@click.group("import", cls=_Bounded)
def command() -> None:
    """Import tool definitions from other formats as specs."""


@command.command("mcp")
@click.argument("file", required=False)
@click.option("--url", metavar="URL", help="Connect to a server of streamable HTTP.")
@click.option("--sse", metavar="URL", help="Connect to a server of HTTP with server-sent events.")
@click.option("--stdio", metavar="COMMAND", help="Start a program as the server.")
@click.option("--header", "headers", multiple=True, metavar="NAME=VALUE", help="An HTTP header; `$env.NAME` in values.")
@click.option("--env", multiple=True, metavar="NAME", help="An environment variable that the program gets.")
@click.option("--from", "entries", metavar="FILE", help="Import the servers of an agent's or editor's configuration.")
@click.option("--server", "only", metavar="NAME", help="Only this server of --from.")
@click.option("--toolset", metavar="mcp.NAME", help="The toolset to import the tools into.")
@click.option("--check", is_flag=True, help="Only compare the tools with the built package; exit with 1 for a change.")
@click.option(
    "--results",
    metavar="FILE",
    help="Infer result schemas from recorded calls, JSON Lines or a store, for tools without one.",
)
@click.option("--yes", is_flag=True, help="Start the programs that the file or the specs name, without asking.")
@click.option("--dialect", type=click.Choice(list(DIALECTS)), help="The draft of schemas without `$schema`.")
@click.option(
    "--out", metavar="PATH", help="The spec to write. Default: the file that has the toolset, or specs/NAME.yaml."
)
@format_option
def mcp(
    *,
    file: str | None,
    url: str | None,
    sse: str | None,
    stdio: str | None,
    headers: tuple[str, ...],
    env: tuple[str, ...],
    entries: str | None,
    only: str | None,
    toolset: str | None,
    check: bool,
    results: str | None,
    yes: bool,
    dialect: str | None,
    out: str | None,
    output_format: str,
) -> int:
    """Write a spec of the tools of an MCP server.

    They come from the server itself (--url, --sse, --stdio), from FILE (`-` for stdin), which is its JSON response to
    `tools/list`, or from the `server` of an existing spec. With --from, each server in a file such as `.mcp.json` gets
    a spec of its own, in which credentials are references to environment variables.

    Programs that --from or a spec names, and servers that get variables of the environment, are shown first, and a
    person at the terminal is asked once; without a terminal, --yes is needed.

    An invalid tool is reported and omitted. If the spec exists, it is updated: tool keys and everything that was edited
    by hand stay, and what the server says of each tool is replaced. With --results, the spec only gets result schemas,
    marked as inferred. With --check, nothing is written; without a server,
    FILE and toolset, all toolsets are compared, each with its `server` or the file that it was imported from.
    """
    config = load_config(Path.cwd())
    server = described_server(url, sse, stdio, headers, env)
    if (file is not None) + (server is not None) + (entries is not None) > 1:
        raise click.UsageError("Give FILE, a server or --from: one of them.")
    if only is not None and entries is None:
        raise click.UsageError("--server is one of those in a file: give --from.")
    if entries is not None:
        if check:
            raise click.UsageError("--check compares with the servers of specs: leave out --from.")
        return _import_entries(import_entries(config, entries, only, toolset, out, dialect, yes=yes), output_format)
    if toolset is None and (not check or file is not None or server is not None):
        raise click.MissingParameter(param_hint="'--toolset'", param_type="option")
    if results is not None and (check or file is not None or server is not None):
        raise click.UsageError("--results adds to an existing spec: give it with --toolset alone, after the import.")
    if check:
        return _check(config, toolset, file, server, output_format, yes=yes)
    assert toolset is not None
    place = place_of(config, toolset, out)
    if results is not None:
        return _infer(place, toolset, results, output_format)
    present: dict[str, Any] = place.present.root.to_data() if place.present else {}
    server_of_spec = server or present.get("server")
    if file is None and server_of_spec is None and "mcp" in place.origin:
        file = kept_path(place.origin["mcp"], config.root)
    if file is None and server is None and "server" in present:
        Consent(config.root, yes=yes).ask(reached_by_server(toolset, present["server"]))
    answer = _answer(config, file, server_of_spec)
    kept = stored_path(file, config.root) if file is not None and server_of_spec is None else ""
    written = write_spec(place, toolset, answer, server, dialect, kept)
    if output_format == "json":
        show_json(written.to_json())
    else:
        written.show()
    return 1 if written.is_incomplete else 0


def _infer(place: SpecPlace, toolset: str, results: str, output_format: str) -> int:
    inferred = infer_results(place, toolset, results)
    if output_format == "json":
        show_json({"file": place.path, "inferred": list(inferred)})
    else:
        echo(f"{place.path}: {counted(len(inferred), 'result schema')} inferred")
    return 0


def _import_entries(imports: list[EntryImport], output_format: str) -> int:
    if output_format == "json":
        show_json({"servers": [each.to_json() for each in imports]})
    else:
        for each in imports:
            each.show()
    return max((each.code for each in imports), default=0)


def _answer(config: Config, file: str | None, server: dict[str, Any] | None) -> Source:
    if file is not None:
        return saved_answer(file, config.root)
    if server is None:
        raise click.UsageError("There are no tools to import: give FILE, or a server with --url, --sse or --stdio.")
    return live_answer(server)


def _check(
    config: Config,
    toolset: str | None,
    file: str | None,
    server: dict[str, Any] | None,
    output_format: str,
    *,
    yes: bool,
) -> int:
    require_mcp()
    from toolgen.cli.mcp_import.check import check_toolsets

    answer = None if file is None and server is None else _answer(config, file, server)
    checked = check_toolsets(config, toolset, answer, yes=yes)
    if output_format == "json":
        show_json({"toolsets": [each.to_json() for each in checked]})
    else:
        show_checked(checked)
    return exit_code(checked)


command.add_command(openapi)
command.add_command(python)
