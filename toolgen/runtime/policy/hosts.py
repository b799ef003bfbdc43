"""Hosts: which ones every call of a tool reaches, as it runs in a runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolgen.spec.hosts import UNCLEAR, UNNAMED, host_of

if TYPE_CHECKING:
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import PolicyEntry


def hosts_of_calls(named: Iterable[str], urls: Iterable[str], specified: Iterable[str]) -> tuple[str, ...]:
    """Return the hosts of every call that is sent to these URLs, and those that a spec has `named` beside them.

    A call is sent to the API or the server, and to the token endpoint of its credentials. `specified` are the URLs of
    the spec, whose hosts are among those named; a host may have others, or none at all.
    """
    replaced = {UNNAMED, *map(host_of, filter(None, specified))}
    own = map(host_of, filter(None, urls))
    return tuple(dict.fromkeys([*own, *(host for host in named if host not in replaced)]))


def url_of_server(server: Mapping[str, Any]) -> str:
    """Return the URL of an MCP server, as a compiled toolset has it; empty for a program."""
    url: str = server.get("http") or server.get("sse") or ""
    return url


def with_hosts(tool: PolicyEntry, hosts: tuple[str, ...] | None) -> PolicyEntry:
    """Return what policies decide by, with the hosts that every call reaches; None is as the spec says."""
    return tool if hosts is None else tool._replace(hosts=hosts or (tool.hosts and (UNNAMED,)))


def shown_hosts(hosts: Iterable[str]) -> tuple[str, ...]:
    """Return hosts as a person is shown them: `UNCLEAR` may be any host."""
    return tuple(UNNAMED if host == UNCLEAR else host for host in hosts)


def hosts_by_tool(catalog: Catalog, registrations: Sequence[ToolsetRegistration]) -> dict[str, tuple[str, ...]]:
    """Return the hosts that every call of a tool reaches, for each tool whose calls are sent to one place.

    An executor says where it sends them. For one that does not, it is the MCP server of the spec.
    """
    found: dict[str, tuple[str, ...]] = {}
    for each in registrations:
        url = url_of_server(catalog.section("toolsets").get(each.toolset, {}).get("server") or {})
        if each.hosts is not None:
            found.update(each.hosts)
        elif url:
            tools = catalog.toolsets[each.toolset]
            found.update((ident, hosts_of_calls(catalog.entry(ident).hosts, [url], [url])) for ident in tools)
    return found
