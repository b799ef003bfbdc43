"""Servers: the MCP servers and APIs behind the tools, what is known of them, and what they offer when asked."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from toolgen.execute.reach import reached, variables_of
from toolgen.execute.servers import ChecksServer, KnowsServer
from toolgen.explore.links import address
from toolgen.explore.screens.surface import choices_of
from toolgen.explore.servers import BeingChecked, Traffic, traffic_of
from toolgen.explore.visit import Refused
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.policy.hosts import shown_hosts, url_of_server
from toolgen.runtime.redact.credentials import redact_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.explore.visit import Data, Visit

_KINDS: Final = ("mcp", "http")
_TOOLS: Final = 500
"""Tools of a server that are listed."""


async def servers(visit: Visit) -> Data:
    """List the servers and APIs of the tools that an agent has. None of them is asked."""
    tools = _tools_by_server(visit)
    traffic, read = await _traffic(visit, tools)
    return {
        **choices_of(visit),
        "runs_read": read,
        "servers": [_server(visit, name, idents, traffic.get(name)) for name, idents in sorted(tools.items())],
    }


async def server(visit: Visit) -> Data:
    """Return one server, with its tools, its latest errors and what it offered when it was last checked."""
    name, tools = _found(visit)
    traffic, read = await _traffic(visit, {name: tools})
    return {
        **_server(visit, name, tools, traffic.get(name)),
        "runs_read": read,
        "tools": sorted(tools)[:_TOOLS],
        "last_check": visit.explorer.checks.last(name) if visit.visitor.sees_all else None,
    }


async def check_server(visit: Visit) -> Data:
    """Ask a server which tools it offers, by the connection that calls use, and compare them with the compiled ones.

    The executor of the runtime is asked, so it reaches what a person has allowed, and nothing else. Of an API the
    description that it was imported from is read. Raises `Refused` where no call of a tool of the server could be made,
    and for whoever is not at this machine.
    """
    name, tools = _found(visit)
    if not _can_check(visit, name):
        raise Refused(404, "there is no server here that can be checked")
    if tools.isdisjoint(visit.run.effective.offered):
        raise Refused(403, "the policies allow no call of this server")
    try:
        found = await _checked(visit, name)
    except BeingChecked:
        raise Refused(409, "this server is being checked") from None
    return {"toolset": name, "last_check": found, "location": address("servers", name, view=visit.query)}


async def _checked(visit: Visit, name: str) -> Data:
    checks, executor = visit.explorer.checks, _executor(visit, name)
    root = None if visit.explorer.project is None else visit.explorer.project.root
    if isinstance(executor, ChecksServer):
        return await checks.check(name, executor, root)
    assert root is not None, "see `_can_check`"
    return await checks.check_description(name, root)


def _can_check(visit: Visit, name: str) -> bool:
    """Whether a visitor may compare a server: one that lists its tools, or an imported API of the project."""
    catalog = visit.explorer.runtime.catalog
    if not visit.visitor.sees_all:
        return False
    if isinstance(_executor(visit, name), ChecksServer):
        return True
    is_api = catalog.section("toolsets")[name]["kind"] == "http" and visit.explorer.project is not None
    return is_api and any(catalog.definition(ident).settings.imported for ident in catalog.toolsets[name])


def _tools_by_server(visit: Visit) -> dict[str, frozenset[str]]:
    """Return the tools of a visit by their toolset, where it has a server; also those that nothing runs.

    Whoever does not see everything is shown the tools that they have.
    """
    catalog, effective = visit.explorer.runtime.catalog, visit.run.effective
    every = set(effective.tools)
    if visit.visitor.sees_all:
        every |= {ident for ident, reason in effective.excluded.items() if reason is ExclusionReason.NO_EXECUTOR}
    sections = catalog.section("toolsets")
    found = {
        name: frozenset(every.intersection(idents))
        for name, idents in catalog.toolsets.items()
        if sections.get(name, {}).get("kind") in _KINDS
    }
    return {name: idents for name, idents in found.items() if idents}


def _found(visit: Visit) -> tuple[str, frozenset[str]]:
    """Return the toolset of the path, and its tools. Raises `Refused`."""
    name = visit.path["toolset"]
    tools = _tools_by_server(visit).get(name)
    if tools is None:
        raise Refused(404, "there is no such server")
    return name, tools


async def _traffic(visit: Visit, tools: Mapping[str, frozenset[str]]) -> tuple[dict[str, Traffic], int]:
    records = visit.explorer.records
    if records is None:
        return {}, 0
    async with visit.explorer.whole_runs.held(visit.visitor.name):
        return await traffic_of(records, visit.explorer.runtime.catalog, tools, visit.visitor)


def _server(visit: Visit, name: str, tools: frozenset[str], traffic: Traffic | None) -> Data:
    """Return a row of the list. Where a server is and how it is signed in to is only for whoever has the project."""
    sees_all = visit.visitor.sees_all
    executor = _executor(visit, name)
    state = executor.state() if isinstance(executor, KnowsServer) else None
    last = visit.explorer.checks.last(name) if sees_all else None
    return {
        "toolset": name,
        "kind": visit.explorer.runtime.catalog.section("toolsets")[name]["kind"],
        "state": _state(visit, name, None if state is None else state.connection),
        "tools_count": len(tools),
        "address": _address(visit, name) if sees_all else "",
        "variables": _variables(visit, name) if sees_all else [],
        "login": state.login if state is not None and sees_all else "",
        "failure": visit.cut(state.failure)[0] if state is not None and sees_all else "",
        "can_check": _can_check(visit, name),
        "checked": "" if last is None else last["at"],
        "problem": "" if last is None else last["problem"],
        "changes_count": 0 if last is None else last["changes_count"],
        "is_recorded": traffic is not None,
        **(Traffic() if traffic is None else traffic).to_json(),
    }


def _executor(visit: Visit, name: str) -> object:
    registration = visit.explorer.runtime.executors.get(name)
    return None if registration is None else registration.executor


def _state(visit: Visit, name: str, connection: str | None) -> str:
    if name not in visit.explorer.runtime.executors:
        return "nothing runs it"
    return "run by the host" if connection is None else connection or "ready"


def _address(visit: Visit, name: str) -> str:
    """Return the program or the URL of a server, or the hosts of an API; empty where code of the host runs it."""
    registration = visit.explorer.runtime.executors.get(name)
    if registration is None or registration.server is None:
        hosts = () if registration is None else (registration.hosts or {}).values()
        return ", ".join(dict.fromkeys(host for each in hosts for host in shown_hosts(each)))
    argv = registration.server.get("stdio")
    return redact_text(shlex.join(argv) if argv else url_of_server(registration.server))


def _variables(visit: Visit, name: str) -> list[str]:
    """Return the variables of the environment that a server or an API gets."""
    registration = visit.explorer.runtime.executors.get(name)
    if registration is None or not isinstance(registration.executor, KnowsServer):
        return []
    if registration.server is not None:
        return variables_of(registration.server)
    every = (each for found in reached(visit.explorer.runtime.catalog, name) for each in found.variables)
    return list(dict.fromkeys(every))
