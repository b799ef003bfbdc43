"""`toolgen login`: sign in to an MCP server that wants OAuth."""

from __future__ import annotations

import asyncio
import webbrowser
from pathlib import Path
from typing import Any

import click

from toolgen.cli.consent import Consent
from toolgen.cli.importers.importer import Given
from toolgen.cli.importers.mcp import McpImporter, require_mcp
from toolgen.cli.output import echo
from toolgen.compiler.project.config import load_config
from toolgen.execute.reach import reached_by_server
from toolgen.runtime.base.errors import ExecutorError


@click.command("login")
@click.argument("server", required=False)
@click.option("--url", metavar="URL", help="The URL of the server, if no spec has it yet.")
@click.option("--sse", is_flag=True, help="The server of --url is one of HTTP with server-sent events.")
@click.option("--no-browser", is_flag=True, help="Only print the page to open.")
@click.option("--yes", is_flag=True, help="Send the variables that the spec names without asking.")
def command(*, server: str | None, url: str | None, sse: bool, no_browser: bool, yes: bool) -> int:
    """Sign in to SERVER, a toolset of kind `mcp`, and keep the tokens for imports and calls.

    They are kept in the system's keyring if the extra `login` is installed and there is one, and otherwise in a file
    that only the user can read: logins.json in the folder toolgen of the user's configuration.
    """
    require_mcp()
    from toolgen.execute.mcp.server import McpServer
    from toolgen.execute.mcp.sign_in import mcp_sign_in

    if (server is None) == (url is None):
        raise click.UsageError("Give SERVER or --url: one of them.")

    def show(page: str) -> None:
        echo(f"Sign in at {page}")
        if not no_browser:
            webbrowser.open(page)

    try:
        described = {"sse" if sse else "http": url} if url else _server_of(str(server))
        reached = McpServer.from_catalog(described)
        if reached.stdio:
            raise click.UsageError(f"{server} is started as a program: there is nothing to sign in to.")
        if url is None:
            Consent(Path.cwd(), yes=yes).ask(reached_by_server(str(server), described))
        wanted = asyncio.run(mcp_sign_in(reached, show))
    except ExecutorError as error:
        raise click.UsageError(f"{str(error).rstrip('.')}.") from error
    echo(f"Signed in to {reached.name}" if wanted else f"{reached.name} wants no login")
    return 0


def _server_of(name: str) -> dict[str, Any]:
    toolset = name if name.startswith("mcp.") else f"mcp.{name}"
    given = Given(config=load_config(Path.cwd()), toolset=toolset, out=None, check=False, options={})
    place = McpImporter().request(given, toolset).place
    described: dict[str, Any] | None = place.present.root.to_data().get("server") if place.present else None
    if described is None:
        raise click.UsageError(f"There is no spec of {toolset} with a `server`: give --url.")
    return described
