"""`toolgen serve`: the tools of an agent, or all tools of a package, for other programs, by MCP."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolgen.cli.commands.calls.injected import injected_values
from toolgen.cli.commands.calls.kept import Kept, limited, store_option
from toolgen.cli.commands.calls.telemetry import command_telemetry
from toolgen.cli.commands.runs.selection import url_of
from toolgen.cli.consent import TRUST_SPECS, Consent, trust_specs_option
from toolgen.cli.ending import TO_STOP, end_of_process, ended_within, run_loop
from toolgen.cli.executors import consented, stdout_kept, stubbed, toolset_executor
from toolgen.cli.folders import importable
from toolgen.cli.names import place_of
from toolgen.cli.output import FiniteRange, echo
from toolgen.cli.packages import built_project, check_disabled, chosen_catalog, disable_policy_option
from toolgen.contract.records import ToolCallMeta
from toolgen.engine.calls import run_by_workers
from toolgen.runtime.base.errors import ExecutorError, UnknownAgent
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.policy.permission import allow_all

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.engine.protocol import Engine
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.runs.run import Run
    from toolgen.serve.http import HttpSettings
    from toolgen.serve.server import ToolServer
    from toolgen.testing import Stubs


_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104  # compared, not bound


@click.command("serve")
@click.option("--agent", default="", help="The agent whose tools are served. Default: all tools of the package.")
@click.option("--package", help="The output folder of a target. Default: the first target.")
@click.option("--stdio", is_flag=True, help="Serve the program that started this one. The default.")
@click.option("--http", "address", metavar="[HOST:]PORT", help="Serve over HTTP. Default host: 127.0.0.1.")
@click.option("--token-env", metavar="NAME", help="The variable with the bearer token that HTTP clients need.")
@click.option(
    "--tokens",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help='Bearer tokens by user, as JSON: {"ana": "…"}. Only you may be able to read the file.',
)
@click.option(
    "--host-name",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="A name by which HTTP clients reach the server; repeatable. Default: localhost, 127.0.0.1 and [::1].",
)
@click.option(
    "--origin",
    "origins",
    metavar="URL",
    multiple=True,
    help="An origin whose pages may call the server from a browser; repeatable.",
)
@click.option("--user", help="The user that calls are made for, where tokens do not name one.")
@store_option
@disable_policy_option
@click.option("--mode", default="", help="The mode of the policies to apply.")
@click.option("--yes", is_flag=True, help="Allow calls without asking, unless a policy denies them; and --trust-specs.")
@trust_specs_option
@click.option("--stub", is_flag=True, help="Run nothing: answer by examples of the specs, or made-up results.")
@click.option(
    "--replay", metavar="FILE", help="Answer by the calls recorded in FILE, and calls of other tools as --stub does."
)
@click.option(
    "--inject", "injected", multiple=True, metavar="NAME=VALUE", help="The value of an injected field, for all tools."
)
@click.option(
    "--database",
    metavar="URL",
    help="Let workers make the calls, as durable runs in this database: postgresql://…, or an SQLite file.",
)
@click.option(
    "--grace",
    type=FiniteRange(min=0),
    default=10.0,
    metavar="SECONDS",
    help="Time for running calls to end after SIGTERM. Default: 10.",
)
def command(
    *,
    agent: str,
    package: str | None,
    stdio: bool,
    address: str | None,
    token_env: str | None,
    tokens: Path | None,
    hosts: Sequence[str],
    origins: Sequence[str],
    user: str | None,
    store: str | None,
    disabled_policies: Sequence[str],
    mode: str,
    yes: bool,
    trust_specs: bool,
    stub: bool,
    replay: str | None,
    injected: Sequence[str],
    database: str | None,
    grace: float,
) -> int:
    """Serve tools by MCP, until the client leaves or the process gets SIGTERM.

    Tools are run by what their specs name: a `handler`, a program, a server or an API; or by what the configuration
    names, as `executors = {"shop.orders" = "app:shop"}`. A tool that may write asks the person behind the client;
    where the client cannot ask, it does not run, unless --yes is given. Programs that specs start, and URLs to which
    they send variables of the environment, are shown first, and a person at the terminal is asked once for this
    project; elsewhere --trust-specs is needed. With --database, `toolgen worker` runs the tools, and servers are
    interchangeable: a call waits for its permission in the database. With --stub or --replay no tool runs, and all
    else is the same: a mock server for people who build the other side.
    """
    if stdio and address is not None:
        raise click.UsageError("--stdio and --http exclude each other.")
    if address is None and (token_env or tokens or hosts or origins):
        raise click.UsageError("Tokens, host names and origins are for --http.")
    if database is not None and (store or disabled_policies or yes or trust_specs or injected):
        raise click.UsageError("With --database, store, policies, permission and injected values are the workers'.")
    if database is not None and (stub or replay):
        raise click.UsageError("With --database the workers run the tools, so --stub and --replay are not for it.")
    try:
        from toolgen.serve.calls import ask_client
        from toolgen.serve.server import mcp_server
    except ImportError as error:
        raise click.UsageError(str(error)) from None
    place = None if address is None else place_of(address)
    if place is not None and place[0] in _EVERY_ADDRESS and not hosts:
        echo("clients of other machines also need --host-name: the name by which they reach this one", err=True)
    config = built_project()
    if not (stub or replay):
        importable(config)
    catalog = chosen_catalog(config, agent, package)
    settings = _settings(token_env, tokens, user, hosts, origins)
    with stdout_kept():  # for the client
        kept = Kept.of(store, catalog)
        stubs: Stubs | None = None
        engine = None if database is None else _engine(database)
        if engine is None:
            permission = allow_all if yes else ask_client
            consent = Consent(config.root, yes=yes or trust_specs, word=TRUST_SPECS)
            stubs = stubbed(catalog, file=replay) if stub or replay else None
            runtime = _runtime(config, catalog, disabled_policies, injected, permission, kept, consent, stubs)
        else:
            runtime = Runtime(catalog, executors=run_by_workers(catalog), permission=ask_client)
        try:
            run = runtime.start_run(agent, mode=mode, meta=ToolCallMeta(user=user or None))
        except (UnknownAgent, ValueError) as error:
            raise click.UsageError(str(error)) from error
    if of_users := limited(catalog, run.effective.offered):
        if not user and settings.authenticate is None:
            echo(
                f"no call of {', '.join(of_users)} will run: there are limits per user, and there is no user; give "
                "--user, or --tokens with --http",
                err=True,
            )
        elif engine is None and kept.counters is None:
            echo(
                f"calls of {', '.join(of_users)} are counted in memory: the limits per user begin anew with each start "
                "of this command; give --store to keep the counts",
                err=True,
            )
    server = mcp_server(runtime, run, http=settings, engine=engine)
    with end_of_process(lambda: server.unfinished) as end:
        code = run_loop(_serve_and_end(server, place, grace, runtime, run, kept, engine, end))
    if stubs is not None and stubs.recording is not None and stubs.recording.unused:
        unused, all_ = len(stubs.recording.unused), counted(len(stubs.recording.takes), "recorded call")
        echo(f"{unused} of {all_} answered none", err=True)
    return code


async def _serve_and_end(
    server: ToolServer,
    place: tuple[str, int] | None,
    grace: float,
    runtime: Runtime,
    run: Run,
    kept: Kept,
    engine: Engine | None,
    end: Callable[[], None],
) -> int:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    try:
        with ended_within(grace + TO_STOP, lambda: loop.call_soon_threadsafe(stopped.set), lambda: server.unfinished):
            await _serve(server, place, grace, stopped)
    finally:
        end()  # also where the client has left, and a thread of a tool does not return
        if engine is not None:
            await engine.close()
        await runtime.end_run(run)
        await kept.aclose()
    if server.unfinished:  # the event loop would wait for them, and a thread cannot be cancelled
        echo(f"stopped with calls that do not end: {', '.join(server.unfinished)}", err=True)
        sys.stderr.flush()
        os._exit(1)
    return 0


async def _serve(server: ToolServer, place: tuple[str, int] | None, grace: float, stopped: asyncio.Event) -> None:
    if place is None:
        echo(f"serving {counted(len(server), 'tool')}", err=True)
        try:
            return await server.serve_stdio(grace=grace, stopped=stopped)
        except OSError as error:
            raise click.UsageError(f"{error}.") from error
    host, port = place

    def announce(url: str) -> None:
        echo(f"serving {counted(len(server), 'tool')} at {url}", err=True)
        gc.freeze()  # what the start made stays: each full collection would look at all of it, for a tenth of a second

    try:
        return await server.serve_http(host, port, grace=grace, on_listening=announce, stopped=stopped)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--http {host}:{port}: {error}") from error


def _settings(
    token_env: str | None, tokens: Path | None, user: str | None, hosts: Sequence[str], origins: Sequence[str]
) -> HttpSettings:
    from toolgen.serve.http import HttpSettings
    from toolgen.serve.tokens import Tokens

    if token_env and tokens:
        raise click.UsageError("--token-env and --tokens exclude each other.")
    try:
        authenticate = Tokens.from_file(tokens) if tokens else None
        if token_env:
            authenticate = Tokens.from_variable(token_env, user or "token")
        return HttpSettings(authenticate=authenticate, hosts=tuple(hosts), origins=tuple(origins))
    except ValueError as error:  # `TokensError` is one
        raise click.UsageError(str(error)) from error


def _engine(database: str) -> Engine:
    """Connect to the database of durable runs, which may be new. Raises click.UsageError."""
    url = url_of(database)
    from toolgen.engine.dbos import DbosEngine, prepare_database

    try:
        prepare_database(url)
        return DbosEngine(url)
    except StoreError as error:
        raise click.UsageError(f"--database: {error}") from error


def _runtime(
    config: Config,
    catalog: Catalog,
    disabled_policies: Sequence[str],
    injected: Sequence[str],
    permission: PermissionCallback,
    kept: Kept,
    consent: Consent,
    stubs: Stubs | None,
) -> Runtime:
    executors, missing = _executors(config, catalog, consent) if stubs is None else (stubs, [])
    if missing:
        echo(f"not served, because nothing is configured to run them: {', '.join(missing)}", err=True)
    served = [ident for each in executors for ident in catalog.toolsets[each.toolset]]
    wanted = sorted({name for ident in served for name in catalog.definition(ident).settings.inject})
    try:
        return Runtime(
            catalog,
            executors=executors,
            missing=missing,
            permission=permission,
            disabled_policies=check_disabled(catalog, disabled_policies),
            inject=injected_values("the tools served", wanted, injected, is_stubbed=stubs is not None),
            store=kept.store,
            counters=kept.counters,
            telemetry=command_telemetry(),
        )
    except ExecutorError as error:
        raise click.UsageError(str(error)) from error


def _executors(config: Config, catalog: Catalog, consent: Consent) -> tuple[list[ToolsetRegistration], list[str]]:
    """Return what runs the toolsets, and the names of those that nothing runs."""
    consented(config, catalog, catalog.toolsets, consent)
    executors: list[ToolsetRegistration] = []
    missing: list[str] = []
    for toolset in catalog.toolsets:
        found = toolset_executor(config, catalog, toolset, consent)
        if found is None:
            missing.append(toolset)
        else:
            executors.append(found)
    return executors, missing
