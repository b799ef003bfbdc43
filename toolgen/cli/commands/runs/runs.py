"""`toolgen runs`: look at durable runs, answer their questions, cancel and resume them."""

from __future__ import annotations

import asyncio
import getpass
import json
import os
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import click

from toolgen.cli.commands.runs.database import database_option, open_engine
from toolgen.cli.output import echo, format_option, show_json
from toolgen.engine.protocol import AlreadyAnswered, Answer, NotAsked, NotResumable, RunCancelled, RunFailed, State
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import is_array
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence

    from toolgen.engine.dbos import DbosEngine
    from toolgen.engine.protocol import RunInfo

T = TypeVar("T")

_STATES: Final = get_args(State)
_ENDED: Final = ("ended", "failed", "cancelled")

_LABELS: Final = {
    "confirm": "",
    "request": "request: ",
    "program": "runs: ",
    "cwd": "folder: ",
    "env": "variables: ",
    "hosts": "hosts: ",
    "scope": "scope: ",
    "reasons": "because: ",
}
"""What is shown of a question, beside its tool and its args."""


@click.group("runs")
def command() -> None:
    """List durable runs, show one, answer what it asks, cancel or resume it, delete old ones."""


@command.command("list")
@database_option
@click.option("--state", "states", multiple=True, type=click.Choice(_STATES), help="Only such runs; repeatable.")
@click.option("--user", help="Only runs of this user.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many, the newest first.")
@format_option
def list_(*, database: str, states: Sequence[State], user: str | None, limit: int, style: str) -> int:
    """List runs, the newest first."""

    async def listed() -> list[RunInfo]:
        async with _engine(database) as engine:
            return await engine.runs(states=states, user=user, limit=limit)

    found = _now(listed())
    if style == "json":
        show_json([asdict(info) for info in found])
        return 0
    for info in found:
        failed = f"  {info.reason}: {info.detail}" if info.reason else ""
        shown = f"{_time(info.created)}  {info.run_id}  {info.state:9}  {info.agent or '-'}  {info.user or '-'}{failed}"
        echo(visible(shown))
    if not found:
        echo("no runs", err=True)
    return 0


@command.command("show")
@click.argument("run")
@database_option
@click.option("--timeline", is_flag=True, help="Also list what was done, with durations.")
@format_option
def show(*, run: str, database: str, timeline: bool, style: str) -> int:
    """Show RUN: its state, what it asks, and how it ended."""

    async def shown() -> dict[str, Any]:
        async with _engine(database) as engine:
            info = await engine.info(run)
            about: dict[str, Any] = {
                **asdict(info),
                "approvals": list(map(asdict, await engine.approvals(run))),
                "answers": [answer.as_json() for answer in await engine.answers(run)],
            }
            if info.state in _ENDED:
                about["end"] = await _end(engine, run)
            if timeline:
                about["timeline"] = await engine.timeline(run)
            return about

    about = _now(shown())
    if style == "json":
        show_json(about)
        return 0
    for line in _lines(about):
        echo(visible(line))
    return 0


@command.command("cancel")
@click.argument("run")
@database_option
def cancel(*, run: str, database: str) -> int:
    """Cancel RUN, the calls that it makes, and the runs that these started."""

    async def cancelled(engine: DbosEngine) -> None:
        state = (await engine.info(run)).state
        if state in _ENDED:
            raise click.UsageError(visible(f"{run} is {state} already"))
        await engine.cancel(run)

    return _steer(database, run, cancelled, "cancelled")


@command.command("resume")
@click.argument("run")
@database_option
@click.option("--turns", type=click.IntRange(min=0), default=0, help="Let it have so many more turns than before.")
def resume(*, run: str, database: str, turns: int) -> int:
    """Let RUN go on that was cancelled or has failed, from the step that failed."""

    async def resumed(engine: DbosEngine) -> None:
        await engine.resume(run, turns=turns)

    return _steer(database, run, resumed, "resumed")


@command.command("approve")
@click.argument("run")
@click.argument("question", required=False)
@database_option
@click.option("--session", is_flag=True, help="Allow such calls for the rest of the session.")
def approve(*, run: str, question: str | None, database: str, session: bool) -> int:
    """Allow what RUN asks with QUESTION, an id of `runs show`; without it, the only open question."""
    decision = Decision.ALLOW_FOR_SESSION if session else Decision.ALLOW_ONCE
    return _decide(database, run, question, PermissionDecision(decision=decision))


@command.command("deny")
@click.argument("run")
@click.argument("question", required=False)
@database_option
@click.option("--reason", default="", help="Why: the model reads it.")
def deny(*, run: str, question: str | None, database: str, reason: str) -> int:
    """Deny what RUN asks with QUESTION, an id of `runs show`; without it, the only open question."""
    return _decide(database, run, question, PermissionDecision(decision=Decision.DENY, reason=reason))


@command.command("prune")
@database_option
@click.option("--older-than", "days", required=True, type=click.FloatRange(min=0), metavar="DAYS", help="In days.")
def prune(*, database: str, days: float) -> int:
    """Delete the runs that ended before so many days, with what they did. Results and messages are gone then."""

    async def pruned() -> int:
        async with _engine(database) as engine:
            return await engine.prune(days * 24 * 3600)

    echo(f"deleted {counted(_now(pruned()), 'run')}", err=True)
    return 0


def _decide(database: str, run: str, question: str | None, decision: PermissionDecision) -> int:
    async def decided() -> list[str]:
        async with _engine(database) as engine:
            asked = await engine.approvals(run)
            if question is None and not asked:
                answers = await engine.answers(run)
                if answers:
                    raise AlreadyAnswered(run, answers[-1])
                raise click.UsageError(visible(f"{run} asks nothing"))
            if question is None and len(asked) > 1:
                names = ", ".join(f"{each.id} ({each.question['tool']})" for each in asked)
                raise click.UsageError(visible(f"{run} asks {names}: name one"))
            answer = await engine.decide(run, question or asked[0].id, decision, by=_user())
            summary = next((each.question["summary"] for each in asked if each.id == answer.question), "")
            return [f"{run}: {answer}", f"  {summary}"]

    for line in _now(decided()):
        echo(visible(line), err=True)
    return 0


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user has no name on this machine
        return f"user {os.getuid()}"


def _steer(database: str, run: str, action: Callable[[DbosEngine], Awaitable[None]], done: str) -> int:
    async def steered() -> None:
        async with _engine(database) as engine:
            await action(engine)

    _now(steered())
    echo(visible(f"{run} is {done}"), err=True)
    return 0


def _now(work: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(work)
    except (RunNotFound, NotAsked, NotResumable, StoreError) as error:
        raise click.UsageError(visible(str(error))) from error


@asynccontextmanager
async def _engine(database: str) -> AsyncGenerator[DbosEngine]:
    engine = open_engine(database)
    try:
        yield engine
    finally:
        await engine.close()


async def _end(engine: DbosEngine, run: str) -> dict[str, Any]:
    try:
        end = await engine.result(run, 5)
    except (RunCancelled, RunFailed) as error:
        return {"reason": str(error)}
    return end.as_json()


def _lines(about: dict[str, Any]) -> list[str]:
    """Return what people read about a run."""
    lines = [
        f"{about['run_id']}  {about['state']}",
        f"agent {about['agent'] or '-'}, user {about['user'] or '-'}, worker {about['worker'] or '-'}",
        f"created {_time(about['created'])}, updated {_time(about['updated'])}",
    ]
    if about["parent_run_id"]:
        lines.append(f"started by {about['parent_run_id']}")
    for approval in about["approvals"]:
        question = approval["question"]
        lines.append(f"asks {question['id']}: {question['tool']} {question['summary']}")
        lines += (f"  {label}{text}" for label, text in _shown(question))
    for answer in about["answers"]:
        lines.append(f"answered {answer['question']}: {Answer.from_json(answer)}")
        if answer["reason"]:
            lines.append(f"  {answer['reason']}")
    end = about.get("end", {})
    if "stopped" in end:
        lines.append(f"{end['stopped']} after {end['turns']} turns: {json.dumps(end['value'], ensure_ascii=False)}")
    if end.get("reason"):
        lines.append(end["reason"])
    for step in about.get("timeline", ()):
        seconds = "running" if step["ended"] is None else f"{step['ended'] - step['started']:.3f} s"
        lines.append(f"  {_time(step['started'])}  {step['name']}  {seconds}")
    return lines


def _shown(question: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a person needs to know of a question: a label, and a text without control characters."""
    for key, label in _LABELS.items():
        given: Any = question.get(key)
        if key == "scope":
            given = [" ".join(pair) for pair in given or ()]
        text = ", ".join(map(visible, given)) if is_array(given) else visible(str(given or ""))
        if text:
            yield label, text
    if question.get("dangerous"):
        yield "", "DANGEROUS"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
