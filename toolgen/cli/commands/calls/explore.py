"""`toolgen explore`: tools, calls, runs and their questions in a browser, on the runtime of the project."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

import click

from toolgen.cli.commands.calls.injected import injected_values
from toolgen.cli.commands.calls.kept import Kept, key_of_record
from toolgen.cli.commands.calls.telemetry import command_telemetry
from toolgen.cli.commands.runs.selection import open_engine
from toolgen.cli.consent import TRUST_SPECS, Consent, trust_specs_option
from toolgen.cli.ending import run_calls
from toolgen.cli.executors import consented, stdout_kept, stubbed, toolset_executor
from toolgen.cli.folders import importable
from toolgen.cli.names import place_of
from toolgen.cli.output import echo
from toolgen.cli.packages import built_project, check_disabled, chosen_catalog, disable_policy_option
from toolgen.cli.person import user_here
from toolgen.record.memory import MemoryStore
from toolgen.record.stores import open_reader
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.calls.runtime import Runtime

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.explore import ExploreSettings
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.events.records import Store


@click.command("explore")
@click.option("--agent", default="", help="The agent that is looked at first. Default: all tools of the package.")
@click.option("--package", help="The output folder of a target. Default: the first target.")
@click.option("--user", help="The user that calls are made for.")
@click.option(
    "--store",
    metavar="FILE|URL",
    help="Record calls there, and show its runs: a file, or postgresql://host/database. Limits per user are counted in "
    "FILE.limits, or in the database. Default: all in memory.",
)
@click.option("--database", metavar="URL", help="The database of durable runs, whose questions are in the inbox.")
@click.option(
    "--http", "address", metavar="[HOST:]PORT", default="0", help="Listen there. Default: 127.0.0.1, and any free port."
)
@click.option("--host-name", "hosts", metavar="NAME", multiple=True, help="A name of this machine, beyond loopback.")
@click.option("--read-only", is_flag=True, help="Call, answer, cancel, check and save nothing.")
@click.option("--no-open", is_flag=True, help="Only print the address.")
@disable_policy_option
@trust_specs_option
@click.option("--stub", is_flag=True, help="Run nothing: answer by examples of the specs, or made-up results.")
@click.option(
    "--inject", "injected", multiple=True, metavar="NAME=VALUE", help="The value of an injected field, for all tools."
)
def command(
    *,
    agent: str,
    package: str | None,
    user: str | None,
    store: str | None,
    database: str | None,
    address: str,
    hosts: Sequence[str],
    read_only: bool,
    no_open: bool,
    disabled_policies: Sequence[str],
    trust_specs: bool,
    stub: bool,
    injected: Sequence[str],
) -> int:
    """Show the project in a browser: its tools, what models see of them, calls, runs and what they ask, and servers.

    Prints one address, with a token that is good until this ends, and opens it. Calls go through the policies, the
    permission and the record of the project; a tool that may write asks in the page.
    """
    try:
        from toolgen.explore import ExploreSettings
    except ImportError as error:
        raise click.UsageError(str(error)) from None
    place = place_of(address)
    config = built_project()
    if not stub:
        importable(config)
    catalog = chosen_catalog(config, agent, package)
    with stdout_kept():
        executors, missing = _executors(
            config, catalog, Consent(config.root, yes=trust_specs, word=TRUST_SPECS), stub=stub
        )
        kept = Kept.of(store, catalog)
        record: Store = MemoryStore() if kept.store is None else kept.store
        runtime = _runtime(catalog, executors, missing, disabled_policies, injected, record, kept, stub=stub)
    try:
        settings = ExploreSettings(
            hosts=tuple(hosts),
            person=replace(user_here(), via="explore"),
            agent=agent,
            user=user,
            read_only=read_only,
        )
    except ValueError as error:
        raise click.UsageError(f"--host-name: {error}") from error
    return run_calls(
        _serve(config, runtime, record, kept, store, database, settings, executors, place, opens=not no_open)
    )


async def _serve(
    config: Config,
    runtime: Runtime,
    record: Store,
    kept: Kept,
    store: str | None,
    database: str | None,
    settings: ExploreSettings,
    executors: Sequence[ToolsetRegistration],
    place: tuple[str, int],
    *,
    opens: bool,
) -> int:
    from toolgen.explore import explorer

    engine = None if database is None else open_engine(database)
    app = explorer(
        runtime,
        store=record if store is None else open_reader(store),
        chain_key=key_of_record(),
        engine=engine,
        tool_use=config.tool_use,
        project=config.root,
        settings=settings,
    )
    try:
        await app.serve_http(*place, on_listening=partial(_announce, opens=opens))
    except OSError as error:
        raise click.UsageError(f"--http {place[0]}:{place[1]}: {error.strerror or error}") from error
    finally:
        for each in executors:
            close = getattr(each.executor, "close", None)
            if iscoroutinefunction(close):
                await close()
        if engine is not None:
            await engine.close()
        await kept.aclose()
    return 0


def _announce(address: str, *, opens: bool) -> None:
    echo(address)
    if opens:
        webbrowser.open(address)


def _executors(
    config: Config, catalog: Catalog, consent: Consent, *, stub: bool
) -> tuple[list[ToolsetRegistration], list[str]]:
    """Return what runs the toolsets, and the names of those that nothing runs."""
    if stub:
        return [*stubbed(catalog)], []
    consented(config, catalog, catalog.toolsets, consent)
    found = {toolset: toolset_executor(config, catalog, toolset, consent) for toolset in catalog.toolsets}
    return [each for each in found.values() if each is not None], [name for name, each in found.items() if each is None]


def _runtime(
    catalog: Catalog,
    executors: Sequence[ToolsetRegistration],
    missing: Sequence[str],
    disabled_policies: Sequence[str],
    injected: Sequence[str],
    record: Store,
    kept: Kept,
    *,
    stub: bool,
) -> Runtime:
    from toolgen.explore import ask_in_page

    run = [ident for each in executors for ident in catalog.toolsets[each.toolset]]
    wanted = sorted({name for ident in run for name in catalog.definition(ident).settings.inject})
    try:
        return Runtime(
            catalog,
            executors=executors,
            missing=missing,
            permission=ask_in_page,
            disabled_policies=check_disabled(catalog, disabled_policies),
            inject=injected_values("the tools", wanted, injected, is_stubbed=stub),
            store=record,
            counters=kept.counters,
            telemetry=command_telemetry(),
        )
    except ExecutorError as error:
        raise click.UsageError(str(error)) from error
