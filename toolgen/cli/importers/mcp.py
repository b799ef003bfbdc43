"""MCP: the tools of a server, saved in a file or asked for now, which needs the extra `mcp`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.authoring.format.update import updated_text
from toolgen.changes.suspicions import OtherTools
from toolgen.cli.importers.importer import Checked, Importer, Request, named_text
from toolgen.cli.importers.left_out import left_out_at_import
from toolgen.cli.importers.mcp_entries import server_entries
from toolgen.cli.importers.spec_place import kept_path, origins, stored_path
from toolgen.cli.names import named_lines
from toolgen.cli.output import echo, show_json
from toolgen.cli.packages import built_catalog, check_known
from toolgen.cli.recordings import is_store
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import (
    Malformed,
    RecordedText,
    address_of,
    import_mcp,
    offered_tools,
    recorded_value,
    with_inferred_results,
)
from toolgen.compiler.resolve.keywords import DIALECTS
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.execute.reach import reached_by_server
from toolgen.record.stores import name_of_target, open_reader
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.redact.spec_credentials import credential_in_argv, credential_in_header, credential_in_url
from toolgen.schema.json_values import is_object
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.cli.importers.importer import Given, Outcome
    from toolgen.cli.importers.mcp_entries import ServerEntry
    from toolgen.cli.importers.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.project.config import Target
    from toolgen.execute.reach import Reached
    from toolgen.runtime.catalog.catalog import Catalog


@dataclass(kw_only=True)
class McpRequest(Request):
    """An import from a server, described as in a spec, or from a file that has its answer.

    `server` and `file` are those that the command line names, or of `entry`, one of a configuration file. `kept_server`
    and `kept_file` are those of the spec; for `--check`, of the package that has it, `compiled`. `malformed` are
    entries of the answer of a server.
    """

    server: Mapping[str, Any] | None = None
    file: str | None = None
    entry: ServerEntry | None = None
    kept_server: Mapping[str, Any] | None = None
    kept_file: str = ""
    compiled: tuple[Target, Catalog] | None = None
    malformed: Malformed = field(default_factory=dict[int, Any])

    @property
    def label(self) -> str:
        """The name of the entry, or the toolset."""
        return self.toolset if self.entry is None else self.entry.name

    @property
    def is_named(self) -> bool:
        """Whether the command line names the source, not a spec."""
        return self.server is not None or self.file is not None


class McpImporter(Importer[McpRequest, Source]):
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

    name = "mcp"
    kind = "mcp"
    origin = "an MCP server"
    arguments = (click.Argument(["file"], required=False),)
    options = (
        click.Option(["--url"], metavar="URL", help="Connect to a server of streamable HTTP."),
        click.Option(["--sse"], metavar="URL", help="Connect to a server of HTTP with server-sent events."),
        click.Option(["--stdio"], metavar="COMMAND", help="Start a program as the server."),
        click.Option(
            ["--header", "headers"],
            multiple=True,
            metavar="NAME=VALUE",
            help="An HTTP header; `$env.NAME` in values.",
        ),
        click.Option(["--env"], multiple=True, metavar="NAME", help="An environment variable that the program gets."),
        click.Option(
            ["--from", "entries"], metavar="FILE", help="Import the servers of an agent's or editor's configuration."
        ),
        click.Option(["--server", "only"], metavar="NAME", help="Only this server of --from."),
        click.Option(
            ["--results"],
            metavar="FILE",
            help="Infer result schemas from recorded calls, JSON Lines or a store, for tools without one.",
        ),
        click.Option(
            ["--yes"], is_flag=True, help="Start the programs that the file or the specs name, without asking."
        ),
        click.Option(["--dialect"], type=click.Choice(list(DIALECTS)), help="The draft of schemas without `$schema`."),
    )
    left_out = frozenset({"TG803", "TG804", "TG805"})
    invalid_name = "`{}` is not a valid toolset name for a server: {}."
    toolset_name = "mcp.NAME"
    check_help = "Only compare the tools with the built package; exit with 1 for a change."

    def is_one(self, given: Given) -> bool:
        """Whether one server is meant: neither the entries of a file, nor all toolsets."""
        return given.toolset is not None if given.check else given.options["entries"] is None

    def requests(self, given: Given) -> Sequence[McpRequest]:
        """Return an import for the server, for each entry of --from, or for each compiled toolset that is checked."""
        options = given.options
        file: str | None = options["file"]
        server = described_server(options["url"], options["sse"], options["stdio"], options["headers"], options["env"])
        if (file is not None) + (server is not None) + (options["entries"] is not None) > 1:
            raise click.UsageError("Give FILE, a server or --from: one of them.")
        if options["only"] is not None and options["entries"] is None:
            raise click.UsageError("--server is one of those in a file: give --from.")
        if options["entries"] is not None:
            if given.check:
                raise click.UsageError("--check compares with the servers of specs: leave out --from.")
            return self._of_entries(given)
        if given.toolset is None and not (given.check and file is None and server is None):
            raise click.MissingParameter(param_hint="'--toolset'", param_type="option")
        if given.check:
            return self._compiled(given, file, server)
        request = self.request(given, str(given.toolset), server=server, file=file)
        place = request.place
        request.kept_server = place.present.root.to_data().get("server") if place.present else None
        request.kept_file = place.origin.get("mcp", "")
        return [request]

    def request(self, given: Given, toolset: str, **source: Any) -> McpRequest:
        """Return an import into one toolset; `source` are the fields of `McpRequest`."""
        return McpRequest(given=given, toolset=toolset, kind=self.kind, invalid_name=self.invalid_name, **source)

    def reached(self, request: McpRequest, /) -> Iterable[Reached]:
        """Return what an entry or the server of a spec reaches; what the command line names needs no consent."""
        if request.entry is not None:
            entry = request.entry
            return reached_by_server(entry.name, entry.server, entry.references.made_of)
        if request.is_named or request.kept_server is None:
            return ()
        return reached_by_server(request.toolset, request.kept_server)

    def read(self, request: McpRequest) -> Source:
        """Ask the server, or read the answer that a file has."""
        root, entry = request.config.root, request.entry
        server = request.server or request.kept_server
        if request.file is not None:
            answer = named_text(request.file, root)
        elif server is not None:
            environment = os.environ if entry is None else entry.references.environment(os.environ)
            answer, request.malformed = live_answer(server, environment)
        elif request.kept_file:
            answer = named_text(kept_path(request.kept_file, root), root)
        else:
            raise click.UsageError("There are no tools to import: give FILE, or a server with --url, --sse or --stdio.")
        request.texts[answer.path] = answer.text
        return answer

    def tools(self, found: Source, request: McpRequest) -> Imported | None:
        """Make a tool of each entry of the list."""
        place, root, file = request.place, request.config.root, ""
        if request.server is None and request.kept_server is None:
            file = stored_path(request.file if request.file is not None else str(root / request.kept_file), root)
        return import_mcp(
            found,
            request.spec,
            request.toolset,
            request.sink,
            dialect=request.options["dialect"],
            profile=place.target.profile,
            server=request.server,
            file=file,
            others=OtherTools(place.others),
            malformed=request.malformed,
            is_other=_is_other(request),
        )

    def check(self, found: Source, request: McpRequest) -> Checked:
        """Compare what a server offers with what was compiled, as the runtime compares them on each connection."""
        from toolgen.execute.mcp.contract import compared_offer, other_tools, suspicions_among  # needs the SDK

        assert request.compiled is not None
        _, catalog = request.compiled
        toolset = request.toolset
        definitions = [catalog.definition(ident) for ident in catalog.toolsets[toolset]]
        offered = _offered(found, request.malformed)
        dialect = request.options["dialect"]
        compared = compared_offer(
            definitions, offered, lambda: left_out_at_import(offered, request.config, toolset, dialect=dialect)
        )
        suspicious = suspicions_among(definitions, offered, compared.changes, other_tools(catalog, toolset))
        broken = {tool["name"] for tool in _offered(found, {})} - {tool["name"] for tool in offered}
        left_out = tuple(sorted(broken.union(compared.left_out)))
        return Checked(toolset, len(offered), compared.changes, tuple(suspicious), left_out=left_out)

    def variables(self, request: McpRequest, _imported: Imported | None, /) -> Mapping[str, str]:
        """Return the variables of an entry, and where each came from."""
        return {} if request.entry is None else request.entry.variables

    def to_json(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        """Return what became of the import, or of each entry of a file."""
        if outcomes[0].request.given.options["entries"] is None:
            return super().to_json(outcomes)
        return {
            "servers": [
                {
                    "server": each.request.label,
                    "toolset": each.request.toolset,
                    **each.to_json(),
                    "variables": dict(each.variables),
                }
                for each in outcomes
            ]
        }

    def run(self, given: Given, output_format: str) -> int:
        """Import or check; with --results only infer schemas."""
        options = given.options
        if options["results"] is None or options["entries"] is not None:
            return super().run(given, output_format)
        toolset = self.toolset_of(given)
        if given.check or options["file"] is not None or any(options[name] for name in ("url", "sse", "stdio")):
            raise click.UsageError(
                "--results adds to an existing spec: give it with --toolset alone, after the import."
            )
        place = self.request(given, toolset).place
        inferred = infer_results(place, toolset, options["results"])
        if output_format == "json":
            show_json({"file": place.path, "inferred": list(inferred)})
        else:
            echo(f"{place.path}: {counted(len(inferred), 'result schema')} inferred")
        return 0

    def _of_entries(self, given: Given) -> Sequence[McpRequest]:
        """Return an import for each server of a file, or for the one of them.

        What an entry has as literals is used to connect. Raises click.UsageError for a file that cannot be read, and
        for `--toolset` or `--out` with several servers.
        """
        source = named_text(given.options["entries"], given.config.root)
        entries = server_entries(source.path, source.text, given.options["only"])
        if (given.toolset or given.out) and len(entries) != 1:
            raise click.UsageError(f"{source.path} has {len(entries)} servers: choose one with --server.")
        of_toolset = {entry.toolset: entry.name for entry in reversed(entries)}
        for entry in entries:
            if of_toolset[entry.toolset] != entry.name:
                names = f"`{of_toolset[entry.toolset]}` and `{entry.name}`"
                raise click.UsageError(
                    f"{source.path}: {names} would both be {entry.toolset}: "
                    "import them one by one, with --server and --toolset."
                )
        return [
            self.request(given, given.toolset or entry.toolset, server=entry.server, entry=entry) for entry in entries
        ]

    def _compiled(self, given: Given, file: str | None, server: Mapping[str, Any] | None) -> Sequence[McpRequest]:
        """Return the compiled toolsets of kind `mcp`, or the one, each with its server or the file that its spec keeps.

        Raises click.UsageError for a package that is out of date, and a toolset that is missing or has no source.
        """
        require_mcp()
        compiled = {
            name: (target, catalog)
            for target in given.config.targets
            for catalog in [built_catalog(given.config, target)]
            for name, found in catalog.section("toolsets").items()
            if found.get("kind") == "mcp"
        }
        if given.toolset is not None:
            check_known("compiled MCP toolset", given.toolset, compiled)
            compiled = {given.toolset: compiled[given.toolset]}
        kept = origins(given.config, "mcp")
        requests = [
            self.request(
                given,
                name,
                server=server,
                file=file,
                kept_server=made[1].section("toolsets")[name].get("server") or None,
                kept_file=kept.get(name, {}).get("mcp", ""),
                compiled=made,
            )
            for name, made in compiled.items()
        ]
        found = [each for each in requests if each.is_named or each.kept_server is not None or each.kept_file]
        if not found:
            which = f"The spec of {given.toolset} has" if given.toolset else "The MCP toolsets of this project have"
            raise click.UsageError(f"{which} no `server`, and no file to import: give FILE or a server, and --toolset.")
        return found


def _is_other(request: McpRequest) -> bool:
    """Return whether the command line names another source than the spec."""
    present: Mapping[str, Any] = request.place.present.root.to_data() if request.place.present else {}
    if request.server is not None:
        return address_of(request.server) != address_of(present.get("server") or {})
    if request.file is None:
        return False
    return "server" in present or stored_path(request.file, request.config.root) != request.kept_file


# Check: the tools of an answer.


def _offered(answer: Source, malformed: Malformed) -> list[dict[str, Any]]:
    sink = Diagnostics()
    offered = offered_tools(answer, sink, malformed)
    if offered is None:
        first = next(iter(sink))
        raise click.UsageError(f"{answer.path}: {first.message}.")
    return offered


# Answers: what an MCP server says of its tools, asked for now.


def live_answer(server: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> tuple[Source, Malformed]:
    """Ask a server, described as in a spec: its tools, all pages, its instructions, and what else it offers.

    Members of its list that are no tools of MCP stand behind the others, and are returned beside them.

    Raises click.UsageError for a server that cannot be reached, does not list its tools, or repeats a credential in
    them, and for a variable that is not set.
    """
    require_mcp()
    from toolgen.execute.mcp.server import McpHost, McpServer
    from toolgen.execute.mcp.sign_in import offer_of

    try:
        reached = McpServer.from_catalog(server)
        offer = asyncio.run(offer_of(reached, McpHost(environment=environment)))
    except ExecutorError as error:
        raise click.UsageError(f"{str(error).rstrip('.')}.") from error
    for kind, why in offer.unlisted.items():
        echo(visible(f"{reached.name} does not list its {kind}: {why}"), err=True)
    tools = [*offer.tools, *(each.tool for each in offer.malformed)]
    answer = {"instructions": offer.instructions, "tools": tools, **offer.others}
    text = json.dumps(answer, ensure_ascii=False, indent=1)
    if name := reached.repeated(text, environment):
        raise click.UsageError(
            f"{reached.name} repeats the value of $env.{name} in its tools or instructions, and specs are committed: "
            "nothing was read."
        )
    malformed = {index: each.faults for index, each in enumerate(offer.malformed, start=len(offer.tools))}
    return Source(reached.name, text), malformed


def require_mcp() -> None:
    """Check that the SDK of MCP is installed. What it logs is not shown: a failure comes as one error.

    Raises click.UsageError.
    """
    try:
        import_module("mcp")
    except ImportError as error:
        raise click.UsageError(str(MissingExtra("servers are asked by the SDK of MCP", "mcp"))) from error
    logging.getLogger().addHandler(logging.NullHandler())


def described_server(
    url: str | None, sse: str | None, stdio: str | None, headers: Sequence[str], env: Sequence[str]
) -> dict[str, Any] | None:
    """Return the server of command line options as a spec has it; None without any.

    Raises click.UsageError for options that do not fit together, and for a credential that is not a reference.
    """
    argv = _argv(stdio)
    ways = {"http": url, "sse": sse, "stdio": argv}
    server: dict[str, Any] = {name: way for name, way in ways.items() if way}
    if len(server) > 1:
        raise click.UsageError("--url, --sse and --stdio are three ways to one server: give one of them.")
    if not server:
        if headers or env:
            raise click.UsageError("--header and --env need a server: give --url, --sse or --stdio.")
        return None
    _refuse_credential(credential_in_url(url or sse or ""))
    _refuse_credential(credential_in_argv(argv))
    for name in env:
        if "=" in name:
            raise click.UsageError(f"--env {name.partition('=')[0]}: give the name of a variable, without its value.")
    if env:
        server["env"] = list(env)
    if headers:
        server["headers"] = dict(map(_header, headers))
    return server


def _argv(command: str | None) -> list[str]:
    try:
        return shlex.split(command or "")
    except ValueError as error:
        raise click.UsageError(f"--stdio is not a command line: {error}.") from error


def _header(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.UsageError(f"--header `{text}` is not NAME=VALUE.")
    _refuse_credential(credential_in_header(name.strip(), value))
    return name.strip(), value


def _refuse_credential(place: str) -> None:
    """Raise click.UsageError for the place of a credential on the command line, if there is one."""
    if place:
        raise click.UsageError(
            f"{place} has a credential, and specs are committed: "
            "put it into an environment variable, and write $env.NAME."
        )


# Results of recorded calls, from which result schemas are inferred for tools without one.


def infer_results(place: SpecPlace, toolset: str, file: str) -> tuple[str, ...]:
    """Write result schemas into the spec of a toolset; return the keys of the tools that got one.

    The file is a store, or JSON Lines. Raises click.UsageError for a toolset without a spec, and for another file.
    """
    if place.present is None:
        raise click.UsageError(f"There is no spec of {toolset}: import its tools first.")
    data, inferred = with_inferred_results(place.present, _in_store(file) if is_store(file) else _in_lines(file))
    if inferred:
        place.write(updated_text(place.present, data))
    return inferred


def _in_store(file: str) -> dict[str, list[Any]]:
    """Read the results of a store. Values that were too large for it, and failures, are left out."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    try:
        with closing(open_reader(file)) as store:
            for run in store.runs():
                for result in store.read(run.run_id).results:
                    if "value" in result.content:
                        value = result.content["value"]
                        found[result.tool].append(RecordedText(value) if isinstance(value, str) else value)
    except ImportError as error:
        raise click.UsageError(f"{error}.") from None
    except (StoreError, RunNotFound) as error:  # a run may be deleted meanwhile
        raise click.UsageError(f"{name_of_target(file)}: {error}.") from None
    return found


def _in_lines(file: str) -> dict[str, list[Any]]:
    """Read JSON Lines: `{"tool", "result"}`, where a result is a value or a `CallToolResult`; other lines are calls."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    with named_lines(file) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{Path(file).name}:{number}"
            try:
                recorded = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise click.UsageError(f"{place}: the line is not JSON: {error}.") from None
            if not is_object(recorded) or not isinstance(recorded.get("tool"), str):
                raise click.UsageError(f'{place}: the line is no recorded call, {{"tool": …, "result": …}}.')
            if "result" in recorded and recorded.get("accept", True):
                tells, value = recorded_value(recorded["result"])
                if tells:
                    found[recorded["tool"]].append(value)
    return found
