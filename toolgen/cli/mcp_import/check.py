"""Check: what a server offers, compared with what was compiled, as the runtime compares them on each connection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from toolgen.changes.drift import TOOL_ADDED, compare_tools
from toolgen.cli.commands.specs.checked import Checked, check_each
from toolgen.cli.commands.specs.spec_place import kept_path, origins
from toolgen.cli.consent import Consent
from toolgen.cli.mcp_import.answers import live_answer, saved_answer
from toolgen.cli.packages import built_catalog, check_known
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import offered_tools, read_tools
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST
from toolgen.compiler.source.nodes import Source
from toolgen.execute.mcp.contract import as_specified, compiled_tool, other_tools, suspicions_in
from toolgen.execute.reach import reached_by_server

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config, Target
    from toolgen.runtime.catalog.catalog import Catalog


def check_toolsets(config: Config, toolset: str | None, answer: Source | None, *, yes: bool) -> list[Checked]:
    """Compare the compiled toolsets of kind `mcp`, or the one, with their sources, or the one with an answer.

    The source of a toolset is its server, or else the file that its spec keeps. A person is asked before a server is
    reached, unless `yes` says so.
    Raises click.UsageError for a package that is out of date, a toolset that is missing or has no source, and a source
    that cannot be read; among all toolsets, the others are compared then too.
    """
    compiled = {
        name: (target, catalog)
        for target in config.targets
        for catalog in [built_catalog(config, target)]
        for name, found in catalog.section("toolsets").items()
        if found.get("kind") == "mcp"
    }
    if toolset is not None:
        check_known("compiled MCP toolset", toolset, compiled)
        compiled = {toolset: compiled[toolset]}
    if answer is not None:
        return [_checked(name, *made, answer) for name, made in compiled.items()]
    servers = {name: server for name, made in compiled.items() if (server := _server(made[1], name))}
    files = {name: origin["mcp"] for name, origin in origins(config, "mcp").items() if name in compiled}
    if not servers and not files:
        which = f"The spec of {toolset} has" if toolset else "The MCP toolsets of this project have"
        raise click.UsageError(f"{which} no `server`, and no file to import: give FILE or a server, and --toolset.")
    Consent(config.root, yes=yes).ask(each for item in servers.items() for each in reached_by_server(*item))

    def check_one(name: str) -> Checked:
        is_live = name in servers
        found = (
            live_answer(servers[name]) if is_live else saved_answer(kept_path(files[name], config.root), config.root)
        )
        return _checked(name, *compiled[name], found)

    names = [name for name in compiled if name in servers or name in files]
    return check_each(names, check_one) if toolset is None else list(map(check_one, names))


def _checked(toolset: str, target: Target, catalog: Catalog, answer: Source) -> Checked:
    definitions = [catalog.definition(ident) for ident in catalog.toolsets[toolset]]
    compiled = [compiled_tool(definition) for definition in definitions]
    metadata = {tool.name: definition.metadata for tool, definition in zip(compiled, definitions, strict=True)}
    offered = _offered(answer)
    specified = [as_specified(tool, metadata.get(tool["name"], {})) for tool in offered]
    changes = compare_tools(compiled, specified)
    added = [change.after for change in changes if change.code == TOOL_ADDED]
    left_out = _left_out(added, toolset, target)
    kept = [change for change in changes if change.code != TOOL_ADDED or change.subject not in left_out]
    changed = {change.subject for change in kept}
    known, others = {tool.name: tool for tool in compiled}, other_tools(catalog, toolset)
    found = [
        suspicion
        for tool in offered
        if tool["name"] in changed
        for suspicion in suspicions_in(tool, known.get(tool["name"]), compiled, others)
    ]
    return Checked(toolset, len(offered), tuple(kept), tuple(found))


def _server(catalog: Catalog, toolset: str) -> dict[str, Any]:
    server: dict[str, Any] = catalog.section("toolsets")[toolset].get("server") or {}
    return server


def _offered(answer: Source) -> list[dict[str, Any]]:
    sink = Diagnostics()
    offered = offered_tools(answer, sink)
    if offered is None:
        first = next(iter(sink))
        raise click.UsageError(f"{answer.path}: {first.message}.")
    return offered


def _left_out(added: list[Any], toolset: str, target: Target) -> tuple[str, ...]:
    """Return the names of added tools that an import would leave out because they are broken."""
    if not added:
        return ()
    answer = Source("added.json", json.dumps({"tools": added}))
    offer = read_tools(answer, Circumstances(toolset, "mcp", LATEST, target.profile), {}, Diagnostics())
    return () if offer is None else offer.left_out
