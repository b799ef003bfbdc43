"""The database of durable runs, as commands take it, and selections of runs in it: by id, or by what they share."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from time import time
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import click

from toolgen.cli.consent import ask_terminal
from toolgen.cli.output import echo
from toolgen.engine.protocol import LONGEST_AGE, NotAsked, NotForkable, NotResumable, RunState
from toolgen.engine.requests import text_problem
from toolgen.engine.schedules import ScheduleNotFound
from toolgen.engine.signals import NotSignalled
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.engine.protocol import Engine, RunInfo

T = TypeVar("T")

STATES: Final = get_args(RunState)
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}
_AGE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smhd])")
_SHOWN: Final = 10
"""Ids of completions, and runs that a question to the person names, at most."""

_NAME_SHOWN: Final = 100
"""Characters of a name that a message shows."""

_LONGEST_DAYS: Final = int(LONGEST_AGE // _UNITS["d"])
"""The greatest age of runs, in days."""

MOST: Final = 1000
"""Runs that one command steers, at most."""


database_option = click.option(
    "--database",
    required=True,
    envvar="TOOLGEN_DATABASE",
    show_envvar=True,
    metavar="URL",
    help="The database of the runs: postgresql://…, or the path of an SQLite file.",
)


def url_of(database: str) -> str:
    """Return the URL of a database. Raises click.UsageError for what is none, and without `toolgen[dbos]`."""
    try:
        from toolgen.engine.dbos import database_url
    except ImportError as error:
        raise click.UsageError(str(error)) from None
    try:
        return database_url(database)
    except ValueError as error:
        raise click.UsageError(f"--database: {error}") from error


def open_engine(database: str) -> Engine:
    """Connect to a database that a worker has prepared, and make none. Raises click.UsageError."""
    url = url_of(database)
    from toolgen.engine.dbos.database import is_missing_file

    if is_missing_file(url):
        raise click.UsageError(f"--database: there is no file {database}: `toolgen worker` makes it when it starts.")
    logging.getLogger("dbos").setLevel(logging.CRITICAL)  # what fails is reported below
    from toolgen.engine.dbos import DbosEngine
    from toolgen.runtime.events.records import StoreError

    try:
        return DbosEngine(url, waits=False)
    except StoreError as error:
        raise click.UsageError(f"{error}; has a worker been started with it?") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What runs have in common; None and nothing leave it open. Ages are in seconds."""

    states: tuple[RunState, ...] = ()
    agent: str | None = None
    user: str | None = None
    worker: str | None = None
    older: float | None = None
    newer: float | None = None

    def __bool__(self) -> bool:
        return self != Selection()

    async def find(self, engine: Engine, limit: int) -> list[RunInfo]:
        """Return the runs, the newest first. Raises `StoreError`."""
        now = time()
        return await engine.runs(
            states=self.states,
            agent=self.agent,
            user=self.user,
            worker=self.worker,
            before=None if self.older is None else max(0.0, now - self.older),
            after=None if self.newer is None else max(0.0, now - self.newer),
            limit=limit,
        )


def shown_age(seconds: float) -> str:
    """Return an age in the greatest unit that it is a whole number of, as options take it."""
    unit = next((unit for unit in ("d", "h", "m") if seconds % _UNITS[unit] == 0), "s")
    return f"{seconds / _UNITS[unit]:g}{unit}"


class Age(click.ParamType[float]):
    """An age with its unit, such as `90m` or `2d`."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        if isinstance(value, int | float):
            return float(value)
        found = _AGE.fullmatch(str(value))
        if found is None:
            self.fail(f"{value!r} is no age: write a number and s, m, h or d, such as 90m or 2d", param, ctx)
        seconds = float(found[1]) * _UNITS[found[2]]
        if seconds > LONGEST_AGE:
            self.fail(f"{value} is too long: write {_LONGEST_DAYS}d at most", param, ctx)
        return seconds


class NameOf(click.ParamType[str]):
    """A name that databases can have."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text of a name that a run can have."""
        if problem := text_problem(str(value)):
            self.fail(f"{str(value)[:_NAME_SHOWN]!a} {problem}", param, ctx)
        return str(value)


def selecting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a selection to a command, which gets it as `selection`."""

    @wraps(function)
    def command(
        *,
        states: Sequence[RunState],
        agent: str | None,
        user: str | None,
        worker: str | None,
        older: float | None,
        newer: float | None,
        **given: Any,
    ) -> Any:
        selection = Selection(states=tuple(states), agent=agent, user=user, worker=worker, older=older, newer=newer)
        return function(**given, selection=selection)

    decorated: Callable[..., Any] = command
    for option in reversed(
        (
            click.option(
                "--state", "states", multiple=True, type=click.Choice(STATES), help="Only such runs; repeatable."
            ),
            click.option("--agent", type=NameOf(), metavar="NAME", help="Only runs of this agent."),
            click.option("--user", type=NameOf(), metavar="NAME", help="Only runs of this user."),
            click.option(
                "--worker", type=NameOf(), metavar="NAME", help="Only runs that this worker executes, or did last."
            ),
            click.option(
                "--older-than", "older", type=Age(), metavar="AGE", help="Only older ones, such as 2d or 90m."
            ),
            click.option("--newer-than", "newer", type=Age(), metavar="AGE", help="Only newer ones."),
        )
    ):
        decorated = option(decorated)
    return decorated


def run_argument(**settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for ids of runs as an argument, which shells complete."""
    return click.argument("run", **settings, shell_complete=_complete)


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return ids of runs that begin so, the newest first. A shell shows no error: without a database there are none."""
    database = ctx.params.get("database")
    if not database:
        return []

    async def found() -> list[str]:
        async with opened(database) as engine:
            return [info.run_id for info in await engine.runs(limit=MOST) if info.run_id.startswith(incomplete)]

    try:
        return asyncio.run(found())[:_SHOWN]
    except (click.UsageError, StoreError):
        return []


@asynccontextmanager
async def opened(database: str) -> AsyncGenerator[Engine]:
    """Connect to a database of runs, as a context. Raises click.UsageError."""
    engine = open_engine(database)
    try:
        yield engine
    finally:
        await engine.close()


def now(work: Coroutine[Any, Any, T]) -> T:
    """Do something with an engine. Raises click.UsageError for what it refuses, with what helps."""
    try:
        return asyncio.run(work)
    except RunNotFound as error:
        raise click.UsageError(visible(f"{error}: `toolgen runs list` shows those that there are")) from error
    except (
        NotAsked,
        NotForkable,
        NotResumable,
        NotSignalled,
        PermissionError,
        ScheduleNotFound,
        StoreError,
    ) as error:
        raise click.UsageError(visible(str(error))) from error


async def chosen(engine: Engine, run_ids: Sequence[str], selection: Selection, states: Sequence[RunState]) -> list[str]:
    """Return the ids of the runs to steer: those that are named, or those of a selection in one of the states.

    Raises click.UsageError for both and neither, and for more runs than one command takes.
    """
    if run_ids and selection:
        raise click.UsageError("name runs, or select them by options: not both")
    if run_ids:
        return list(dict.fromkeys(run_ids))
    if not selection:
        raise click.UsageError("name a run, or select runs, such as by --agent, --user or --state")
    limited: tuple[RunState, ...] = tuple(
        state for state in states if not selection.states or state in selection.states
    )
    if not limited:
        raise click.UsageError(f"--state: this is for runs that are {' or '.join(states)}")
    found = await Selection(
        states=limited,
        agent=selection.agent,
        user=selection.user,
        worker=selection.worker,
        older=selection.older,
        newer=selection.newer,
    ).find(engine, MOST + 1)
    if len(found) > MOST:
        raise click.UsageError(f"these are more than {MOST} runs: select fewer, such as by --older-than")
    return [info.run_id for info in found]


def confirm(what: str, lines: Sequence[str], *, yes: bool) -> None:
    """Show what is about to be done, and ask for it. Raises click.UsageError where nobody can be asked."""
    more = len(lines) - _SHOWN
    shown = "\n".join(visible(f"  {line}") for line in (*lines[:_SHOWN], *([f"and {more} more"] if more > 0 else ())))
    if yes:
        if shown:
            echo(shown, err=True)
        return
    agreed = ask_terminal(shown, f"{what}?")
    if agreed is None:
        raise click.UsageError(f"{what}? Nobody can be asked here: repeat the command with --yes")
    if not agreed:
        raise click.UsageError("nothing was done")


def shown_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as commands show it; one that no calendar has as a number."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OSError, OverflowError, ValueError):
        return f"{seconds:g}"
