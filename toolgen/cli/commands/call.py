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
from toolgen.contract.records import ToolsetRegistration
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest
from toolgen.runtime.permission import Decision, PermissionRequest

if TYPE_CHECKING:
    from toolgen.compiler.config import Config
    from toolgen.contract.records import ToolResult
    from toolgen.runtime import Catalog


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


async def _call(config: Config, name: str, payload: str, user: str | None, *, yes: bool) -> ToolResult[Any]:
    catalogs = [(target, built_catalog(config, target)) for target in config.targets]
    _, catalog, ident = named_tool(catalogs, name)
    toolset = catalog.toolset_of(ident)
    runtime = Runtime(catalog, executors=[_executor(config, catalog, toolset)], permission=_allow if yes else _ask)
    return await runtime.invoke(ToolRequest(name=ident, payload=payload), meta=ToolCallMeta(user=user))


def _executor(config: Config, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """What the configuration names for a toolset: handlers, or a registration of their own."""
    place = config.executors.get(toolset)
    if place is None:
        raise click.UsageError(
            f'Nothing is configured to run `{toolset}`. Write `executors = {{"{toolset}" = "app:handlers"}}`.'
        )
    module, _, name = place.partition(":")
    if str(config.root) not in sys.path:
        sys.path.insert(0, str(config.root))
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise click.UsageError(f'executors."{toolset}" = "{place}" cannot be used: {error}') from error
    if isinstance(found, ToolsetRegistration):
        return found
    dispatch = import_module(f"{catalog.package_of(toolset)}.dispatch")
    registration: ToolsetRegistration = dispatch.executor(found() if isinstance(found, type) else found)
    return registration


def _allow(request: PermissionRequest) -> Decision:
    return Decision.ALLOW_ONCE


def _ask(request: PermissionRequest) -> Decision:
    """Ask the person at the terminal about what is not plainly readonly; nobody there means no."""
    if request.permission == "readonly" and "dangerous" not in request.tags:
        return Decision.ALLOW_ONCE
    if not sys.stdin.isatty():
        click.echo(
            f"{request.tool_name} may change something, and nobody can be asked: give --yes to allow it", err=True
        )
        return Decision.DENY
    shown = request.arguments.decode()
    return Decision.ALLOW_ONCE if click.confirm(f"{request.tool_name} {shown}\nRun it?", err=True) else Decision.DENY


def _json(result: ToolResult[Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"tool": result.tool_name, "tool_call_id": result.tool_call_id, "success": result.success}
    if result.error is None:
        return shown | {"result": json.loads(result.payload) if result.payload else None}
    issues = [{"pointer": issue.pointer, "keyword": issue.keyword, "hint": issue.hint} for issue in result.error.issues]
    error = result.error
    return shown | {
        "error": {
            "kind": error.kind.value,
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "issues": issues,
        }
    }
