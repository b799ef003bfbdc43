"""`toolgen worker`: execute durable runs of agents."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.commands.runs.selection import Age, NameOf, database_option, shown_age, url_of
from toolgen.cli.ending import TO_STOP, cut_off, ended_within, run_loop
from toolgen.cli.executors import raised
from toolgen.cli.folders import importable
from toolgen.cli.names import place_of
from toolgen.cli.output import FiniteRange, echo
from toolgen.compiler.project.config import load_config
from toolgen.engine.body import DEFAULT_RETRIES
from toolgen.engine.protocol import MOST_AT_A_TIME
from toolgen.execute.python.references import NotThere, Objects
from toolgen.runtime.base.bearer import token_problem
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from toolgen.engine.dbos import DbosWorker
    from toolgen.engine.protocol import Pruned

_DIGITS: Final = 10
"""Digits of a number that are read: more than any bound has."""


@click.command("worker")
@click.argument("host")
@database_option
@click.option(
    "--name", type=NameOf(), default="", help="The name of this worker. Default: that of the machine, and a number."
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1, max=MOST_AT_A_TIME),
    default=100,
    show_default=True,
    help="Runs at a time, without those that wait.",
)
@click.option(
    "--per-user", type=click.IntRange(min=1, max=MOST_AT_A_TIME), help="Calls of one user at a time, in this worker."
)
@click.option(
    "--per-tool", multiple=True, metavar="TOOL=N", help="Calls of a tool at a time, in this worker; repeatable."
)
@click.option(
    "--http", "address", metavar="[HOST:]PORT", help="Serve health and metrics there. Default host: 127.0.0.1."
)
@click.option("--token-env", metavar="NAME", help="The variable with the token for questions of runs over HTTP.")
@click.option(
    "--grace",
    type=FiniteRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for running calls to end after SIGTERM.",
)
@click.option(
    "--on-tool-change",
    type=click.Choice(["compatible", "wait"]),
    default="compatible",
    show_default=True,
    help="Make planned calls whose tool has changed if their args mean the same, or wait for the tool as it was: with "
    "the same schemas, texts, permission, tags and what runs it.",
)
@click.option(
    "--tool-wait",
    type=FiniteRange(min=0),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a run waits for a worker that has a tool as it was.",
)
@click.option(
    "--planner-seconds",
    type=FiniteRange(min=0),
    default=DEFAULT_RETRIES.planner_seconds,
    show_default=True,
    metavar="SECONDS",
    help="How long a planner whose model is away is asked again.",
)
@click.option(
    "--keep",
    type=Age(),
    metavar="AGE",
    help="Delete runs that ended so long ago, such as 30d. Default: keep all.",
)
def command(
    *,
    host: str,
    database: str,
    name: str,
    concurrency: int,
    per_user: int | None,
    per_tool: Sequence[str],
    address: str | None,
    token_env: str | None,
    grace: float,
    on_tool_change: str,
    tool_wait: float,
    planner_seconds: float,
    keep: float | None,
) -> int:
    """Execute the runs of a database, until the process gets SIGTERM or SIGINT.

    HOST names a function of your program, such as `app.agents:host`. It takes the engine, for agents that calls start,
    and returns an `EngineHost` with the runtime and the planners. After a signal the worker begins nothing more, lets
    calls that run end, and leaves its runs to other workers; the exit code is 0. What has not ended 10 seconds after
    --grace is cut off: the exit code is 1, and stderr names it. The runs of a worker that died are taken over within
    seconds. A worker whose name another process took while it stood still ends too; the exit code is 1. With --keep,
    one of the workers deletes old runs once in an hour, and says on stderr what it has deleted.
    """
    url = url_of(database)
    make = _function(host)
    limits = dict(map(_limit, per_tool))
    place = None if address is None else place_of(address)
    if token_env and place is None:
        raise click.UsageError("--token-env is for --http.")
    token = os.environ.get(token_env, "") if token_env else ""
    if token_env and not token:
        raise click.UsageError(f"--token-env {token_env}: there is no such variable, or it is empty")
    if token_env and (problem := token_problem(token)):
        raise click.UsageError(f"--token-env {token_env}: its value {problem}")
    try:
        retries = replace(DEFAULT_RETRIES, planner_seconds=planner_seconds)
    except ValueError as error:
        raise click.UsageError(f"--planner-seconds: {error}") from error

    after = "" if keep is None else f"after {shown_age(keep)}: "

    def deleted(pruned: Pruned) -> None:
        echo(f"{after}{pruned}", err=True)

    bounds = {
        "name": name,
        "concurrency": concurrency,
        "per_user": per_user,
        "per_tool": limits,
        "retries": retries,
        "on_tool_change": on_tool_change,
        "tool_wait": tool_wait,
        "keep": keep,
        "on_deleted": deleted,
    }
    return run_loop(_work(make, url, bounds, place, token, grace))


async def _work(
    make: Callable[[Any], Any],
    url: str,
    bounds: dict[str, Any],
    place: tuple[str, int] | None,
    token: str,
    grace: float,
) -> int:
    from toolgen.engine.dbos import DbosEngine, DbosWorker, prepare_database
    from toolgen.engine.dbos.connections import BESIDE_WORKER
    from toolgen.engine.dbos.endpoints import Endpoints, listening
    from toolgen.engine.host import EngineHost

    try:
        await asyncio.to_thread(prepare_database, url)
        engine = DbosEngine(url, limits=BESIDE_WORKER)
    except StoreError as error:
        raise click.UsageError(f"--database: {error}") from error
    try:
        made = make(engine)
        host = await made if inspect.isawaitable(made) else made
    except Exception as error:  # the program's own code may raise anything
        raise click.UsageError(f"HOST failed: {raised(error, Path.cwd())}") from error
    if not isinstance(host, EngineHost):
        raise click.UsageError(f"HOST returned a {type(host).__qualname__}; it must return an EngineHost")
    try:
        worker = DbosWorker(host, url, **bounds)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    with ended_within(grace + TO_STOP, lambda: loop.call_soon_threadsafe(stopped.set), lambda: worker.unfinished):
        try:
            await worker.start()
        except StoreError as error:
            raise click.UsageError(f"--database: {error}") from error
        except ValueError as error:
            raise click.UsageError(f"--name: {error}") from error
        with ExitStack() as serving:
            try:
                if place is not None:
                    application = Endpoints(worker, engine, loop, token)
                    echo(f"health and metrics at {serving.enter_context(listening(application, *place))}", err=True)
                echo(f"worker {worker.name} executes runs", err=True)
                is_replaced = await _replaced_before(worker, stopped)
                if is_replaced:
                    signal.raise_signal(signal.SIGTERM)  # the process ends as after any other, whatever its tools do
                echo(f"worker {worker.name} stops: {worker.activities_running} activities are running", err=True)
            except OSError as error:
                raise click.UsageError(f"--http: {error}") from error
            finally:
                await worker.stop(grace)
                await engine.close()
    if worker.unfinished:  # the event loop would wait for it
        cut_off(worker.unfinished)
    if is_replaced:
        echo(
            f"another process has the name {worker.name}, and its runs: give each worker a --name of its own", err=True
        )
    return int(is_replaced)


async def _replaced_before(worker: DbosWorker, stopped: asyncio.Event) -> bool:
    """Wait until a worker is replaced or stopped; return whether it was replaced first."""
    waits = [asyncio.create_task(wait) for wait in (worker.until_replaced(), stopped.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return waits[0].done()
    finally:
        for wait in waits:
            wait.cancel()


def _function(reference: str) -> Callable[[Any], Any]:
    """Import what HOST names. Raises click.UsageError."""
    root = Path.cwd()
    importable(load_config(root))
    if ":" not in reference:
        raise click.UsageError(f"{reference} is not MODULE:FUNCTION, such as app.agents:host")
    try:
        found: Any = Objects(are_called=True, modules=None).find(reference)
    except NotThere as error:
        raise click.UsageError(str(error.args[0])) from error
    except (Exception, SystemExit) as error:  # the program's own code may raise anything
        raise click.UsageError(f"{reference} cannot be imported: {raised(error, root)}") from error
    if not callable(found):
        raise click.UsageError(f"{reference} is a {type(found).__qualname__}, not a function")
    function: Callable[[Any], Any] = found
    return function


def _limit(text: str) -> tuple[str, int]:
    ident, _, number = text.partition("=")
    if not ident or not number.isdecimal() or not 1 <= int(number[:_DIGITS]) <= MOST_AT_A_TIME:
        raise click.UsageError(f"--per-tool {text}: this is not TOOL=N, such as web.fetch=4")
    return ident, int(number)
