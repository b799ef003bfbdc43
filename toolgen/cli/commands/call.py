"""`toolgen call`: one call of one tool, from the command line."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import format_option, show_json
from toolgen.cli.packages import built_catalog, named_tool
from toolgen.cli.project import project

if TYPE_CHECKING:
    from toolgen.compiler.config import Config
    from toolgen.contract.records import ToolResult


@click.command("call")
@click.argument("tool")
@click.argument("args", default="{}")
@click.option("--yes", is_flag=True, help="Allow the call without asking.")
@click.option("--user", help="In whose name the call runs.")
@format_option
def command(*, tool: str, args: str, yes: bool, user: str | None, style: str) -> int:
    """Call TOOL with ARGS, a JSON object (`-` reads it from stdin).

    Handlers are found through the configuration: `executors = {"shop.orders" = "app:shop"}`. A tool that may change
    something is asked about first, unless --yes is given.
    """
    config = project()
    payload = sys.stdin.read() if args == "-" else args
    result = asyncio.run(_call(config, tool, payload, user, yes=yes))
    if style == "json":
        show_json(_json(result))
    elif result.error is None:
        click.echo(result.payload or b"null")
    else:
        click.echo(f"{result.error.kind.value}: {result.error.message}", err=True)
        for issue in result.error.issues:
            click.echo(f"  {issue.pointer or '/'}: {issue.hint}", err=True)
        if result.error.hint:
            click.echo(f"  {result.error.hint}", err=True)
    return 0 if result.success else 1
