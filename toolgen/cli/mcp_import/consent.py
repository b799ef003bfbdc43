"""Consent: a person sees what a repository would start, and which variables it would get, before any of it happens."""

from __future__ import annotations

import shlex
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import echo
from toolgen.execute.environment import variables_in
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.runtime import Catalog


def ask_to_reach(
    servers: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    yes: bool,
    made_of: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({}),
) -> None:
    """Ask once whether servers that files of a project name may be reached; with `yes` only show them.

    A server, given with its name and as specs have it, matters if it is a program, or if it gets variables of the
    environment, which may be credentials. `made_of` has, by server, the variables whose values a file makes of those of
    others: what is read is shown. Raises click.UsageError without consent, and where nobody can be asked.
    """
    lines = [line for name, server in servers for line in _lines(name, server, made_of.get(name, {}))]
    if not lines:
        return
    echo("\n".join(visible(line) for line in lines), err=True)
    if yes:
        return
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise click.UsageError(
            "There is no terminal to ask whether this may happen: read it, and pass --yes. Nothing was started."
        )
    if not click.confirm("Go on?", err=True):
        raise click.UsageError("Nothing was started.")


def servers_of(catalog: Catalog, toolset: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the MCP server of a toolset, if it has one, as `ask_to_reach` takes it: what a call starts or reaches."""
    server: Mapping[str, Any] = catalog.section("toolsets")[toolset].get("server") or {}
    return [(toolset, server)] if server else []


def variables_of(server: Mapping[str, Any]) -> list[str]:
    """Return the variables of the environment that a server gets, each once."""
    url = str(server.get("http") or server.get("sse") or "")
    texts = map(str, [url, *(server.get("stdio") or ()), *server.get("headers", {}).values()])
    return list(dict.fromkeys([*(each for text in texts for each in variables_in(text)), *server.get("env", ())]))


def _lines(name: str, server: Mapping[str, Any], made_of: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Yield what happens when a server is reached: the program that is started, or the host that gets variables."""
    command: Any = server.get("stdio")
    url = str(server.get("http") or server.get("sse") or "")
    variables = [
        f"{each} (or else of {', '.join(made_of[each])})" if each in made_of else each for each in variables_of(server)
    ]
    gets = f", with the values of {', '.join(variables)}" if variables else ""
    if command:
        yield f"{name} starts the program: {shlex.join(map(str, command))}{gets}"
    elif variables:
        yield f"{name} connects to {url}{gets}"
