"""Answers: what an MCP server says of its tools, in a file, or asked for now. Needs the extra `mcp`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shlex
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.named_files import STDIN, read_named
from toolgen.cli.output import echo
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.redact.redact import is_secret_field, redact_text
from toolgen.spec.templates import VARIABLE
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST: Final = 64 * 1024 * 1024
"""Maximum size in bytes of a saved answer. The spec that is written may have 10 MB."""

_CREDENTIAL: Final = re.compile(r"(?:Bearer|Basic|token)\s+\S+", re.IGNORECASE)


def saved_answer(file: str, root: Path) -> Source:
    """Read a file, or stdin for `-`. Raises click.UsageError."""
    shown = _shown(file, root)
    data = read_named(file, _LARGEST)
    try:
        return Source(shown, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{shown} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def live_answer(server: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Source:
    """Ask a server, described as in a spec: its tools, all pages, its instructions, and what else it offers.

    Raises click.UsageError for a server that cannot be reached, does not list its tools, or repeats a credential in
    them, and for a variable that is not set.
    """
    require_mcp()
    from toolgen.execute.mcp.server import McpHost, McpServer
    from toolgen.execute.mcp.server_tools import offer_of

    try:
        reached = McpServer.from_catalog(server)
        offer = asyncio.run(offer_of(reached, McpHost(environment=environment)))
    except ExecutorError as error:
        raise click.UsageError(f"{str(error).rstrip('.')}.") from error
    for kind, why in offer.unlisted.items():
        echo(visible(f"{reached.name} does not list its {kind}: {why}"), err=True)
    answer = {"instructions": offer.instructions, "tools": offer.tools, **offer.others}
    text = json.dumps(answer, ensure_ascii=False, indent=1)
    if name := reached.repeated(text, environment):
        raise click.UsageError(
            f"{reached.name} repeats the value of $env.{name} in its tools or instructions, and specs are committed: "
            "nothing was read."
        )
    return Source(reached.name, text)


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
    for text in (url or sse or "", *argv):
        _refuse_credential(text, text)
    for flag, value in pairwise(argv):
        if flag.startswith("-") and not VARIABLE.search(value):
            _refuse_credential(f"the value of {flag}", f"{flag} {value}")
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
    literal = VARIABLE.sub("", value).strip()
    if literal and (is_secret_field(f"/{name}") or _CREDENTIAL.search(literal)) and not _is_scheme(literal):
        raise _credential(f"the header {name}")
    _refuse_credential(f"the header {name}", literal)
    return name.strip(), value


def _is_scheme(literal: str) -> bool:
    return literal.lower() in ("bearer", "basic", "token")


def _refuse_credential(what: str, text: str) -> None:
    literal = VARIABLE.sub("", text)
    if redact_text(literal) != literal:
        raise _credential(f"`{redact_text(what)}`" if what == text else what)


def _credential(what: str) -> click.UsageError:
    return click.UsageError(
        f"{what} has a credential, and specs are committed: put it into an environment variable, and write $env.NAME."
    )


def _shown(name: str, root: Path) -> str:
    """Return the path shown in messages: relative to the project if the file is inside it."""
    if name == STDIN:
        return "<stdin>"
    path = Path(name).absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else name
