"""`toolgen runs schedules`: runs that workers start at times of a clock, or again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from toolgen.agents.planner import Message
from toolgen.cli.commands.runs.selection import database_option, now, opened, shown_time
from toolgen.cli.output import CommandGroup, FiniteRange, echo, format_option, show_json
from toolgen.cli.person import user_here
from toolgen.engine.requests import DEFAULT_PLANNER, RunRequest
from toolgen.engine.schedules import Schedule
from toolgen.engine.steps import shown_schedule
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.engine.schedules import ScheduleInfo


@click.group("schedules", cls=CommandGroup)
def command() -> None:
    """List, add, pause, resume and remove schedules, by which workers start runs."""


@command.command("list")
@database_option
@format_option
def list_(*, database: str, output_format: str) -> int:
    """List schedules, with the next time of each and its last run."""

    async def listed() -> list[ScheduleInfo]:
        async with opened(database) as engine:
            return await engine.schedules()

    found = now(listed())
    if output_format == "json":
        show_json([*map(shown_schedule, found)])
        return 0
    for info in found:
        when = "paused" if info.is_paused else "never" if info.next_at is None else shown_time(info.next_at)
        request = info.schedule.request
        last = f"last {info.last_run_id}" if info.last_run_id else "no run yet"
        echo(visible(f"{when:19}  {info.schedule.name}  {info.schedule}  {request.agent or '-'}  {last}"))
    if not found:
        echo("no schedules", err=True)
    return 0


@command.command("add")
@click.argument("name")
@database_option
@click.option("--cron", default="", metavar="FIELDS", help="Minute, hour, day of month, month, day of week.")
@click.option("--zone", default="UTC", show_default=True, help="The time zone of --cron, such as Europe/Berlin.")
@click.option(
    "--every", type=FiniteRange(min=0), default=0.0, metavar="SECONDS", help="Start a run again after so many seconds."
)
@click.option("--message", "messages", multiple=True, help="What the user says to the agent; repeatable.")
@click.option("--agent", default="", help="The agent. Default: all tools.")
@click.option("--planner", default=DEFAULT_PLANNER, show_default=True, help="The planner, one of the host.")
@click.option("--user", help="The user of the runs.")
@click.option(
    "--timeout", type=FiniteRange(min=0, min_open=True), metavar="SECONDS", help="Cancel a run that takes longer."
)
def add(
    *,
    name: str,
    database: str,
    cron: str,
    zone: str,
    every: float,
    messages: Sequence[str],
    agent: str,
    planner: str,
    user: str | None,
    timeout: float | None,
) -> int:
    """Add the schedule NAME, or replace it. Times that pass while no worker runs start one run, afterwards."""
    try:
        request = RunRequest(
            agent=agent,
            messages=tuple(Message(role="user", content=text) for text in messages),
            planner=planner,
            user=user,
            timeout=timeout,
        )
        schedule = Schedule(name=name, request=request, cron=cron, zone=zone, every=every)
    except ValueError as error:
        raise click.UsageError(visible(str(error))) from error

    async def added() -> ScheduleInfo:
        async with opened(database) as engine:
            return await engine.set_schedule(schedule, by=user_here().name)

    info = now(added())
    when = "is paused" if info.next_at is None else f"starts a run at {shown_time(info.next_at)} UTC"
    echo(visible(f"{name} {when}"), err=True)
    return 0


@command.command("pause")
@click.argument("name")
@database_option
def pause(*, name: str, database: str) -> int:
    """Let NAME start nothing until it is resumed."""
    return _paused(database, name, paused=True)


@command.command("resume")
@click.argument("name")
@database_option
def resume(*, name: str, database: str) -> int:
    """Let NAME start runs again, from its next time on."""
    return _paused(database, name, paused=False)


@command.command("remove")
@click.argument("name")
@database_option
def remove(*, name: str, database: str) -> int:
    """Remove NAME. Runs that it started go on."""

    async def removed() -> None:
        async with opened(database) as engine:
            await engine.remove_schedule(name)

    now(removed())
    echo(visible(f"{name} is removed"), err=True)
    return 0


def _paused(database: str, name: str, *, paused: bool) -> int:
    async def done() -> None:
        async with opened(database) as engine:
            await engine.pause_schedule(name, paused=paused)

    now(done())
    echo(visible(f"{name} is {'paused' if paused else 'resumed'}"), err=True)
    return 0
