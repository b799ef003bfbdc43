"""Consent: a person sees what a repository would start, and which variables it would get, before any of it happens."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import echo
from toolgen.execute.environment import variables_in
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.runtime import Catalog


def ask_to_reach(servers: Iterable[tuple[str, Mapping[str, Any]]], *, yes: bool) -> None:
    """Ask once whether servers that files of a project name may be reached; with `yes` only show them.

    A server, given with its name and as specs have it, matters if it is a program, or if it gets variables of the
    environment, which may be credentials. Raises click.UsageError without consent, and where nobody can be asked.
    """
    lines = [line for name, server in servers for line in _lines(name, server)]
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


def programs_of(catalog: Catalog, toolsets: Iterable[str]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the servers of toolsets that are programs, by toolset: what a call starts."""
    sections = catalog.section("toolsets")
    servers: dict[str, Mapping[str, Any]] = {name: sections[name].get("server") or {} for name in toolsets}
    return [(name, server) for name, server in servers.items() if "stdio" in server]


def _lines(name: str, server: Mapping[str, Any]) -> Iterable[str]:
    """Yield what happens when a server is reached: the program that is started, or the host that gets variables."""
    command: Any = server.get("stdio")
    url = str(server.get("http") or server.get("sse") or "")
    texts = map(str, [url, *(command or ()), *server.get("headers", {}).values()])
    variables = dict.fromkeys([*(each for text in texts for each in variables_in(text)), *server.get("env", ())])
    gets = f", with the values of {', '.join(variables)}" if variables else ""
    if command:
        yield f"{name} starts the program: {shlex.join(map(str, command))}{gets}"
    elif variables:
        yield f"{name} connects to {url}{gets}"
