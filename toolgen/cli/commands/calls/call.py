"""`toolgen call`: one call of one tool, from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.commands.calls.injected import injected_values
from toolgen.cli.commands.calls.kept import Kept, store_option
from toolgen.cli.commands.calls.telemetry import command_telemetry
from toolgen.cli.consent import TRUST_SPECS, Consent, trust_specs_option
from toolgen.cli.ending import run_calls
from toolgen.cli.executors import consented, stdout_kept, stubbed, toolset_executor, unusable
from toolgen.cli.folders import importable
from toolgen.cli.names import STDIN, read_named
from toolgen.cli.output import echo, format_option, show_json, show_json_text
from toolgen.cli.packages import (
    built_catalog,
    built_project,
    check_disabled,
    check_known,
    disable_policy_option,
    named_tool,
)
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest, allow_all
from toolgen.runtime.policy.terminal import TerminalPrompt, described
from toolgen.runtime.redact.call_secrets import RedactedSecret, refuse_redacted, secrets_of_tool
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.contract.records import ToolError, ToolResult, ToolsetRegistration
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.runs.run import Run


_LARGEST: Final = 64 * 1024 * 1024
"""Maximum size in bytes of args read from stdin."""

_RUN_BY: Final = {
    "mcp": "`server: {stdio: [PROGRAM, ARG]}` or `server: {http: URL}`",
    "http": "`api: {base_url: URL}`",
}
"""The key of a spec that names what runs its toolset, by kind."""


@click.command("call")
@click.argument("tool")
@click.argument("args", default="{}")
@click.option("--mode", default="", help="The mode of the policies to apply.")
@click.option(
    "--yes", is_flag=True, help="Allow the call without asking, unless a policy denies it; and --trust-specs."
)
@trust_specs_option
@click.option("--stub", is_flag=True, help="Run nothing: answer by an example of the spec, or a made-up result.")
@store_option
@disable_policy_option
@click.option("--user", help="The user that the call is made for.")
@click.option(
    "--inject",
    "injected",
    multiple=True,
    metavar="NAME=VALUE",
    help="The value of an injected field: JSON, or else text. Required once for each field that the tool injects.",
)
@format_option
def command(
    *,
    tool: str,
    args: str,
    mode: str,
    yes: bool,
    trust_specs: bool,
    stub: bool,
    store: str | None,
    disabled_policies: Sequence[str],
    user: str | None,
    injected: Sequence[str],
    output_format: str,
) -> int:
    """Call TOOL with ARGS, a JSON object (`-` reads it from stdin).

    A tool is run by what its spec names: a `handler`, a program, a server or an API; or by what the configuration
    names, as `executors = {"shop.orders" = "app:shop"}`. A tool that may write asks for permission first, unless --yes
    is given. A call that a policy denies does not run. With --stub the tool itself does not run, and all else is the
    same. Without --store, limits per user are counted from zero: calls of other commands and hosts do not count here.
    What still runs 10 seconds after the end of the call, or after Ctrl-C, is cut off, and stderr names it.
    """
    config = built_project()
    if not stub:
        importable(config)
    payload = read_named(STDIN, _LARGEST) if args == STDIN else args
    with stdout_kept():  # for the result
        person = _Person() if not yes and _is_terminal() else None
        permission = allow_all if yes else person or _deny
        consent = Consent(config.root, yes=yes or trust_specs, word=TRUST_SPECS)
        runtime, ident, registration, kept = _runtime(
            config, tool, disabled_policies, injected, permission, consent, store, stub=stub
        )
        if mode:
            check_known("mode", mode, runtime.policies.modes)
        _refuse_redacted(runtime.catalog, ident, payload)
        request = ToolRequest(name=ident, payload=payload)
        meta = ToolCallMeta(user=user)
        run = runtime.start_run(mode=mode, meta=meta) if mode or store else None
        result = run_calls(_result(runtime, request, meta, run, registration, kept))
        if stub and result.success:
            echo("a stub answered: no tool has run", err=True)
        if store is None and runtime.catalog.definition(ident).settings.limits.are_per_user:
            echo("its limits are counted from zero; give --store to keep the counts", err=True)
    if output_format == "json":
        show_json(_json(result))
    elif result.error is None:
        show_json_text((result.payload or b"null").decode("utf-8", "surrogatepass"))
    else:
        lines = _error_lines(result.error, ident, mode)
        if person is not None and result.tool_call_id in person.denied:
            lines = [f"{result.tool_name} was not run: you denied it"]
        echo("\n".join(map(visible, lines)), err=True)
        if result.error.kind is FailureKind.RATE_LIMITED and user is None:
            echo("  pass --user NAME: its limits are those of a user", err=True)
        if result.error.proposal:
            echo(visible(f"  {PROPOSED}{result.error.proposal}"), err=True)
    return 0 if result.success else 1


def _runtime(
    config: Config,
    name: str,
    disabled_policies: Sequence[str],
    injected: Sequence[str],
    permission: PermissionCallback,
    consent: Consent,
    store: str | None,
    *,
    stub: bool,
) -> tuple[Runtime, str, ToolsetRegistration, Kept]:
    """Build a runtime for the tool that `name` refers to.

    Returns it with the ident, what runs the toolset, and what keeps the call. Raises click.UsageError.
    """
    catalogs = [(target, built_catalog(config, target)) for target in config.targets]
    _, catalog, ident = named_tool(catalogs, name)
    disabled = check_disabled(catalog, disabled_policies)
    inject = injected_values(ident, catalog.definition(ident).settings.inject, injected, is_stubbed=stub)
    toolset = catalog.toolset_of(ident)
    registration: ToolsetRegistration | None
    if stub:
        (registration,) = stubbed(catalog, [toolset])
    else:
        allowed = consented(config, catalog, [toolset], consent)
        registration = toolset_executor(config, catalog, toolset, allowed)
    if registration is None:
        raise click.UsageError(f"No executor is configured for `{toolset}`. {_remedy(config, catalog, toolset)}.")
    kept = Kept.of(store, catalog)
    try:
        runtime = Runtime(
            catalog,
            executors=[registration],
            missing=catalog.toolsets,
            permission=permission,
            store=kept.store,
            counters=kept.counters,
            disabled_policies=disabled,
            inject=inject,
            telemetry=command_telemetry(),
        )
    except ExecutorError as error:
        raise unusable(config, toolset, str(error)) from error
    return runtime, ident, registration, kept


def _refuse_redacted(catalog: Catalog, ident: str, payload: bytes | str) -> None:
    """Raise click.UsageError for args that were copied from a record, with a secret that is not there."""
    try:
        refuse_redacted(payload, secrets_of_tool(catalog.definition(ident)))
    except RedactedSecret as error:
        raise click.UsageError(f"ARGS: {error}") from None


def _remedy(config: Config, catalog: Catalog, toolset: str) -> str:
    """Return what a person writes so that something runs a toolset, which depends on its kind."""
    kind: str = catalog.section("toolsets")[toolset].get("kind", "service")
    if kind in _RUN_BY:
        from toolgen.cli.importers.spec_place import present_spec

        _, spec = present_spec(config, toolset)
        return f"Add {_RUN_BY[kind]} to {spec.path if spec is not None else f'the spec of `{toolset}`'}, and build"
    return f'Write `executors = {{"{toolset}" = "app:handlers"}}`, or `handler: app:function` in the spec of each tool'


async def _result(
    runtime: Runtime,
    request: ToolRequest,
    meta: ToolCallMeta,
    run: Run | None,
    registration: ToolsetRegistration,
    kept: Kept,
) -> ToolResult[Any]:
    """Make the call; then end its run, and close the connections that it opened."""
    try:
        return await runtime.invoke_apart(request, meta=meta, run=run)
    finally:
        close = getattr(registration.executor, "close", None)
        if iscoroutinefunction(close):
            await close()
        if run is not None:
            await runtime.end_run(run)
        await kept.aclose()


def _deny(request: PermissionRequest) -> Decision | PermissionDecision:
    if obstacle := request.obstacle(None):
        return PermissionDecision(decision=Decision.DENY, reason=obstacle)
    echo(f"{described(request)}\nThere is no terminal to ask: pass --yes", err=True)
    return Decision.DENY


class _Person:
    """Asks at the terminal, and keeps the ids of the calls that were denied: what their results tell is for a model."""

    def __init__(self) -> None:
        from toolgen.cli.person import user_here  # only on systems with terminals

        self._person = user_here()
        self._prompt = TerminalPrompt(person=self._person)
        self.denied: set[str] = set()

    async def __call__(self, request: PermissionRequest) -> Decision | PermissionDecision:
        answer = await self._prompt(request)
        decision = answer.decision if isinstance(answer, PermissionDecision) else answer
        if decision is Decision.DENY and not request.obstacle(self._person):
            self.denied.add(request.meta.tool_call_id)
        return answer


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _error_lines(error: ToolError, ident: str, mode: str) -> list[str]:
    """Describe an error to a person. Issues are those of the args, which the hint repeats, or of the result.

    The hint of a denial tells a model to ask the user, and a tool that is excluded does not exist for it.
    """
    explained = f"  see `toolgen policy explain {ident}{f' --mode {mode}' if mode else ''}`"
    if error.code == FailureKind.TOOL_NOT_AVAILABLE.value:
        return [f"{error.kind.value}: {ident} is excluded", explained]
    if error.code == FailureKind.PERMISSION_DENIED.value:
        return [f"{error.kind.value}: {error.message}", explained]
    is_of_result = error.kind is FailureKind.MALFORMED_RESULT
    where = "in the result, " if is_of_result else ""
    lines = [f"{error.kind.value}: {error.message}"]
    lines += [f"  {where}{issue.pointer or '/'}: {issue.hint}" for issue in error.issues]
    if error.hint and (is_of_result or not error.issues):
        lines.append(f"  {error.hint}")
    return lines


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
            **({"proposal": json.loads(error.proposal)} if error.proposal else {}),
        }
    }
