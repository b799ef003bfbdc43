"""`toolgen runs`: start durable runs, look at them, answer their questions, cancel, resume and fork them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.commands.runs.schedules import command as schedules
from toolgen.cli.commands.runs.selection import (
    Age,
    chosen,
    confirm,
    database_option,
    now,
    opened,
    run_argument,
    selecting,
    shown_age,
    shown_time,
)
from toolgen.cli.names import read_named
from toolgen.cli.output import CommandGroup, FiniteRange, echo, format_option, show_json
from toolgen.cli.person import user_here
from toolgen.engine.protocol import (
    MOST_LISTED,
    AlreadyAnswered,
    ApprovalAnswer,
    NeedsOthers,
    NotApprover,
    NotAsked,
    NotResumable,
)
from toolgen.engine.requests import DEFAULT_PLANNER, MOST_TURNS, RunRequest, new_run_id
from toolgen.engine.signals import RunSignal
from toolgen.engine.steps import shown_answer, shown_signal
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.policy.approvers import Approvers
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import proposal_text
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.cli.commands.runs.selection import Selection
    from toolgen.engine.protocol import Approval, Engine, Pruned, Retention, RunInfo, RunState, WorkerInfo

_ENDED: Final = ("ended", "failed", "cancelled")
_GOES_ON: Final = ("queued", "running", "waiting")
_RESUMABLE: Final = ("cancelled", "failed")

_FILE_BYTES: Final = 10_000_000
_TEXT_LENGTH: Final = 500
"""Characters of args and results that people are shown; as JSON they are whole."""

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


@click.group("runs", cls=CommandGroup)
def command() -> None:
    """Start durable runs, list and follow them, answer what they ask, cancel, resume and fork them, delete old ones."""


command.add_command(schedules)


_yes_option = click.option("--yes", is_flag=True, help="Do not ask before this is done to a selection of runs.")


@command.command("start")
@click.argument("file", required=False, type=click.File("rb"))
@database_option
@click.option("--message", "text", metavar="TEXT", help="What the user says to the agent.")
@click.option("--agent", metavar="NAME", help="The agent. Default: none, with all tools.")
@click.option("--user", metavar="NAME", help="The user of the run.")
@click.option("--planner", metavar="NAME", help=f"The planner of the host. Default: {DEFAULT_PLANNER}.")
@click.option("--session", metavar="ID", help="The session of the run.")
@click.option("--id", "run_id", metavar="ID", help="The id of the run. Default: a new one.")
@click.option("--max-turns", type=click.IntRange(min=1, max=MOST_TURNS), help="Turns at most.")
@click.option(
    "--timeout", type=FiniteRange(min=0, min_open=True), metavar="SECONDS", help="The run is cancelled after so long."
)
@format_option
def start(*, file: Any, database: str, output_format: str, text: str | None, run_id: str | None, **options: Any) -> int:
    """Start a run, and print its id.

    FILE is a JSON object with the fields of a `RunRequest`, such as `messages`; `-` is stdin. Options replace its
    fields. A second start with the same id starts nothing.
    """
    made = _request(file, text, run_id, options)

    async def started() -> str:
        async with opened(database) as engine:
            return await engine.start(made)

    started_id = now(started())
    if output_format == "json":
        show_json({"run_id": started_id})
    else:
        echo(visible(started_id))
    return 0


def _request(file: Any, text: str | None, run_id: str | None, options: Mapping[str, Any]) -> RunRequest:
    """Return what to start. Raises click.UsageError for a file that is no request."""
    fields: dict[str, Any] = {"messages": []}
    where = "the options"
    if file is not None:
        where = getattr(file, "name", "FILE")
        try:
            given = json.loads(file.read(_FILE_BYTES))
        except (ValueError, RecursionError) as error:
            raise click.UsageError(f"{where} is no JSON, or has more than {_FILE_BYTES} bytes: {error}") from error
        if not is_object(given):
            raise click.UsageError(f'{where} must be a JSON object, such as {{"messages": [...], "agent": "main"}}')
        fields |= given
    if text is not None and is_array(fields["messages"]):
        fields["messages"] = [*fields["messages"], {"role": "user", "content": text}]
    names = {"session": "session_id"}
    fields |= {names.get(name, name): value for name, value in options.items() if value is not None}
    if fields["messages"] == []:
        raise click.UsageError("say what the run is about: --message TEXT, or `messages` in FILE")
    given_id = fields.pop("run_id", None)
    found_id = run_id or (new_run_id() if given_id is None else given_id)
    try:
        return RunRequest.from_json(found_id, fields)
    except ValueError as error:
        raise click.UsageError(visible(f"{where}: this is no request of a run: {error}")) from error


@command.command("list")
@database_option
@selecting
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=MOST_LISTED),
    default=50,
    show_default=True,
    help="How many, the newest first.",
)
@format_option
def list_(*, database: str, selection: Selection, limit: int, output_format: str) -> int:
    """List runs, the newest first."""

    async def listed() -> list[RunInfo]:
        async with opened(database) as engine:
            return await selection.find(engine, limit)

    found = now(listed())
    if output_format == "json":
        show_json([asdict(info) for info in found])
        return 0
    for info in found:
        echo(_line(info))
    if not found:
        echo("no runs", err=True)
    return 0


def _line(info: RunInfo) -> str:
    failed = f"  {info.reason}: {info.detail}" if info.reason else ""
    about = f"{info.run_id}  {info.state:9}  {info.agent or '-'}  {info.user or '-'}"
    return visible(f"{shown_time(info.created)}  {about}{failed}")


@command.command("show")
@run_argument()
@database_option
@click.option("--timeline", is_flag=True, help="Also list the steps, with durations, args and results.")
@format_option
def show(*, run: str, database: str, timeline: bool, output_format: str) -> int:
    """Show RUN: its state, what it asks, and how it ended. Secrets in args and results are redacted."""

    async def shown() -> dict[str, Any]:
        async with opened(database) as engine:
            info = await engine.info(run)
            about: dict[str, Any] = {
                **asdict(info),
                "approvals": list(map(asdict, await engine.approvals(run))),
                "answers": [*map(shown_answer, await engine.answers(run))],
            }
            signals = await engine.signals(run)
            about["awaited"] = list(signals.awaited)
            about["signals"] = [*map(shown_signal, signals.received)]
            if info.state in _ENDED:
                about["end"] = await engine.shown_end(run)
            if timeline:
                about["timeline"] = [*map(asdict, await engine.timeline(run))]
            return about

    about = now(shown())
    if output_format == "json":
        show_json(about)
        return 0
    for line in _lines(about):
        echo(visible(line))
    return 0


@command.command("tail")
@run_argument()
@database_option
@click.option("--every", type=FiniteRange(min=0.05), default=1.0, show_default=True, metavar="SECONDS")
@format_option
def tail(*, run: str, database: str, every: float, output_format: str) -> int:
    """Follow RUN until it has ended: its steps with args and results, its questions and answers, as they come.

    As JSON it is one object in a line. Ctrl-C ends it, and not the run.
    """

    async def followed() -> None:
        async with opened(database) as engine:
            await _follow(engine, run, every, output_format)

    with suppress(KeyboardInterrupt):
        now(followed())
    return 0


async def _follow(engine: Engine, run: str, every: float, output_format: str) -> None:
    seen: set[str] = set()
    state = ""

    def tell(key: str, kind: str, about: dict[str, Any], lines: Sequence[str]) -> None:
        if key in seen:
            return
        seen.add(key)
        if output_format == "json":
            echo(json.dumps({"kind": kind, **about}))
        else:
            for line in lines:
                echo(visible(line))

    while True:
        info = await engine.info(run)  # before its steps: those of a run that has ended are complete
        for step in await engine.timeline(run):
            tell(f"step {step.number}", "step", asdict(step), list(_step_lines(asdict(step))))
        for approval in await engine.approvals(run):
            tell(approval.id, "question", asdict(approval), list(_question_lines(approval.question)))
        for answer in await engine.answers(run):
            tell(f"answer {answer.question}", "answer", shown_answer(answer), [f"answered {answer.question}: {answer}"])
        if info.state != state:
            state = info.state
            seen.discard(f"state {state}")
            tell(f"state {state}", "state", asdict(info), [f"{run} is {state}"])
        if state in _ENDED:
            end = await engine.shown_end(run)
            tell("end", "end", end, _end_lines(end))
            return
        await asyncio.sleep(every)


@command.command("cancel")
@run_argument(nargs=-1)
@database_option
@selecting
@_yes_option
@format_option
def cancel(*, run: Sequence[str], database: str, selection: Selection, yes: bool, output_format: str) -> int:
    """Cancel each RUN, or those of a selection, the calls that they make, and the runs that these started."""

    async def cancelled(engine: Engine, run_id: str) -> None:
        state = (await engine.info(run_id)).state
        if state in _ENDED:
            raise click.UsageError(visible(f"{run_id} is {state} already"))
        await engine.cancel(run_id)

    return _steer(
        database, run, selection, cancelled, ("cancel", "cancelled"), _GOES_ON, yes=yes, output_format=output_format
    )


@command.command("resume")
@run_argument(nargs=-1)
@database_option
@click.option(
    "--turns",
    type=click.IntRange(min=0, max=MOST_TURNS),
    default=0,
    help="Let it have so many more turns than before.",
)
@selecting
@_yes_option
@format_option
def resume(
    *, run: Sequence[str], database: str, selection: Selection, yes: bool, turns: int, output_format: str
) -> int:
    """Let each RUN go on that was cancelled or has failed, or those of a selection, from where it was."""

    async def resumed(engine: Engine, run_id: str) -> None:
        await engine.resume(run_id, turns=turns)

    return _steer(
        database, run, selection, resumed, ("resume", "resumed"), _RESUMABLE, yes=yes, output_format=output_format
    )


@command.command("fork")
@run_argument()
@click.argument("step", type=click.IntRange(min=1))
@database_option
@click.option("--id", "new_id", default="", metavar="ID", help="The id of the new run. Default: a new one.")
@format_option
def fork(*, run: str, step: int, database: str, new_id: str, output_format: str) -> int:
    """Start a run that has done what RUN had before STEP, a number of `runs show --timeline`, and print its id.

    It makes STEP and all after it anew: calls that RUN has made there are made once more, with keys and questions of
    their own. It has none of the grants that answers for the session gave RUN: it asks again.
    """

    async def forked() -> str:
        async with opened(database) as engine:
            return await engine.fork(run, step, new_id=new_id)

    found = now(forked())
    if output_format == "json":
        show_json({"run_id": found, "forked_from": run, "step": step})
    else:
        echo(visible(found))
    return 0


_reason_option = click.option("--reason", default="", help="Why. It is recorded; of a denial, the model reads it.")


@command.command("approve")
@run_argument(required=False)
@click.argument("question", required=False)
@database_option
@selecting
@click.option("--session", is_flag=True, help="Allow such calls for the rest of the session.")
@_reason_option
@_yes_option
@format_option
def approve(*, session: bool, reason: str, **given: Any) -> int:
    """Allow what RUN asks with QUESTION, an id of `runs show`; without it, the only open question.

    Without RUN, all that the runs of a selection ask.
    """
    decision = Decision.ALLOW_FOR_SESSION if session else Decision.ALLOW_ONCE
    return _answered(PermissionDecision(decision=decision, reason=reason), **given)


@command.command("deny")
@run_argument(required=False)
@click.argument("question", required=False)
@database_option
@selecting
@_reason_option
@click.option("--propose", metavar="JSON|@FILE", help="Args that you would allow: the model may call with them.")
@_yes_option
@format_option
def deny(*, reason: str, propose: str | None, **given: Any) -> int:
    """Deny what RUN asks with QUESTION, an id of `runs show`; without it, the only open question.

    Without RUN, all that the runs of a selection ask.

    With --propose, the model gets other args of the tool with the denial. They are a JSON object, or a file that has
    one, and allow nothing: a call with them asks again.
    """
    if propose is not None and given["run"] is None:
        raise click.UsageError("--propose is about one call: name its RUN")
    proposal = None if propose is None else _proposal(propose)
    return _answered(PermissionDecision(decision=Decision.DENY, reason=reason, proposal=proposal), **given)


def _proposal(given: str) -> dict[str, Any]:
    """Return the args that an option gives, or the file that it names. Raises click.UsageError."""
    try:
        args: Any = parse(read_named(given[1:], _FILE_BYTES) if given.startswith("@") else given)
    except NotJson as error:
        raise click.UsageError(visible(f"--propose is not JSON: {error.advice}")) from error
    if not is_object(args):
        raise click.UsageError("--propose must be a JSON object of args")
    return args


@command.command("signal")
@run_argument()
@click.argument("name")
@click.argument("value", default="")
@database_option
@click.option("--json", "is_json", is_flag=True, help="VALUE is JSON, not text.")
@click.option("--key", default="", help="Send it once, however often it is sent with this key.")
def signal(*, run: str, name: str, value: str, database: str, is_json: bool, key: str) -> int:
    """Send RUN the signal NAME with VALUE, which a call of it waits for now or later."""
    try:
        given = json.loads(value) if is_json else value
    except (ValueError, RecursionError) as error:
        raise click.UsageError(visible(f"VALUE is not JSON: {error}")) from error

    async def signalled() -> str:
        async with opened(database) as engine:
            try:
                return str(await engine.signal(run, name, given, by=user_here().name, key=key))
            except ValueError as error:
                raise click.UsageError(visible(str(error))) from error

    echo(visible(f"{run}: {now(signalled())}"), err=True)
    return 0


@command.command("workers")
@database_option
@format_option
def workers(*, database: str, output_format: str) -> int:
    """List the workers, with their lease, load and version, and what they delete by themselves.

    A lease is held; late, so that the worker begins no call; dead, so that others take over its runs; or left by a
    worker that has stopped.
    """

    async def listed() -> tuple[list[WorkerInfo], Retention | None]:
        async with opened(database) as engine:
            return await engine.workers(), await engine.retention()

    found, retention = now(listed())
    if output_format == "json":
        kept = None if retention is None else {**asdict(retention), "deleted": retention.deleted.as_json()}
        show_json({"workers": [*map(asdict, found)], "retention": kept})
        return 0
    for each in found:
        echo(visible(_worker_line(each)))
    if not found:
        echo("no workers", err=True)
    if retention is not None:
        last = "not done yet" if retention.ended is None else f"{shown_time(retention.ended)}, {retention.deleted}"
        days = f"{retention.seconds / (24 * 3600):g} days"
        echo(visible(f"runs are kept for {days} after their end; last round by {retention.worker}: {last}"))
    return 0


def _worker_line(worker: WorkerInfo) -> str:
    beat = "no beat" if worker.beat_age is None else f"beat {worker.beat_age:.1f} s ago"
    most = "" if worker.concurrency is None else f" of {worker.concurrency}"
    load = f"{worker.runs}{most} runs, {worker.waiting} waiting, {worker.activities} activities"
    return f"{worker.name}  {worker.lease:4}  {beat}  {load}  toolgen {worker.version or '-'}  {worker.package or '-'}"


@command.command("prune")
@database_option
@click.option(
    "--older-than", "older", required=True, type=Age(), metavar="AGE", help="Since when they have ended, such as 30d."
)
@click.option("--yes", is_flag=True, help="Do it without asking.")
@format_option
def prune(*, database: str, older: float, yes: bool, output_format: str) -> int:
    """Delete the runs that ended so long ago, with what they did. Results and messages are gone then."""

    async def pruned() -> Pruned:
        async with opened(database) as engine:
            confirm(f"delete the runs that ended more than {shown_age(older)} ago", (), yes=yes)
            return await engine.prune(older)

    found = now(pruned())
    if output_format == "json":
        show_json(found.as_json())
    else:
        echo(str(found), err=True)
    return 0


def _answered(
    decision: PermissionDecision,
    *,
    run: str | None,
    question: str | None,
    database: str,
    selection: Selection,
    yes: bool,
    output_format: str,
) -> int:
    async def decided() -> list[dict[str, Any]]:
        async with opened(database) as engine:
            run_ids = await chosen(engine, [run] if run else [], selection, ("waiting",))
            asked = [each for run_id in run_ids for each in await engine.approvals(run_id)]
            if run:
                asked = [await _only(engine, run, question, asked)]
            else:
                verb = "deny" if decision.decision is Decision.DENY else "allow"
                lines = [f"{each.run_id}: {each.question['tool']} {each.question['summary']}" for each in asked]
                confirm(f"{verb} {counted(len(asked), 'call')}", lines, yes=yes)
            return [await _decided(engine, each, decision, is_one=run is not None) for each in asked]

    done = now(decided())
    if output_format == "json":
        show_json(done)
    else:
        for each in done:
            for line in each["error"], *each["lines"]:
                if line:
                    echo(visible(line), err=True)
    return int(any(each["error"] for each in done))


async def _only(engine: Engine, run: str, question: str | None, asked: Sequence[Approval]) -> Approval:
    """Return the question to answer: the one that is named, or the only one. Raises click.UsageError."""
    if question is not None:
        found = next((each for each in asked if each.id == question), None)
        given = next((each for each in await engine.answers(run) if each.question == question), None)
        if found is None:
            raise NotAsked(run, question) if given is None else AlreadyAnswered(run, given)
        return found
    if not asked:
        answers = await engine.answers(run)
        if answers:
            raise AlreadyAnswered(run, answers[-1])
        raise click.UsageError(visible(f"{run} asks nothing"))
    if len(asked) > 1:
        names = ", ".join(f"{each.id} ({each.question['tool']})" for each in asked)
        raise click.UsageError(visible(f"{run} asks {names}: name one"))
    return asked[0]


async def _decided(engine: Engine, asked: Approval, decision: PermissionDecision, *, is_one: bool) -> dict[str, Any]:
    done: dict[str, Any] = {"run_id": asked.run_id, "question": asked.id, "error": "", "lines": []}
    try:
        answer = await engine.decide(asked.run_id, asked.id, decision, by=user_here())
    except NeedsOthers as error:
        return {**done, "lines": [f"{asked.run_id}: this is noted; {error.why}"]}
    except (RunNotFound, NotAsked, NotApprover) as error:
        if is_one:
            raise
        return {**done, "error": str(error)}
    except ValueError as error:
        raise click.UsageError(visible(str(error))) from error
    return {
        **done,
        "answer": shown_answer(answer),
        "lines": [f"{asked.run_id}: {answer}", f"  {asked.question['summary']}"],
    }


def _steer(
    database: str,
    run_ids: Sequence[str],
    selection: Selection,
    action: Callable[[Engine, str], Awaitable[None]],
    words: tuple[str, str],
    states: Sequence[RunState],
    *,
    yes: bool,
    output_format: str,
) -> int:
    """Do something to runs, one after the other. A selection goes on past those that refuse; one run is an error."""

    async def steered() -> list[dict[str, str]]:
        async with opened(database) as engine:
            found = await chosen(engine, run_ids, selection, states)
            if len(run_ids) != 1:
                confirm(f"{words[0]} {counted(len(found), 'run')}", found, yes=yes)
            done: list[dict[str, str]] = []
            for run_id in found:
                try:
                    await action(engine, run_id)
                except (RunNotFound, NotResumable, click.UsageError) as error:
                    if len(run_ids) == 1:
                        raise
                    done.append({"run_id": run_id, "error": str(error)})
                else:
                    done.append({"run_id": run_id, "error": ""})
            return done

    done = now(steered())
    if output_format == "json":
        show_json(done)
    else:
        for each in done:
            echo(visible(each["error"] or f"{each['run_id']} is {words[1]}"), err=True)
    return int(any(each["error"] for each in done))


def _lines(about: dict[str, Any]) -> list[str]:
    """Return what people read about a run."""
    lines = [
        f"{about['run_id']}  {about['state']}",
        f"agent {about['agent'] or '-'}, user {about['user'] or '-'}, worker {about['worker'] or '-'}",
        f"created {shown_time(about['created'])}, updated {shown_time(about['updated'])}",
    ]
    if about["parent_run_id"]:
        lines.append(f"started by {about['parent_run_id']}")
    if about["forked_from"]:
        lines.append(f"forked from {about['forked_from']}")
    for approval in about["approvals"]:
        lines += _question_lines(approval["question"])
    for answer in about["answers"]:
        lines.append(f"answered {answer['question']}: {ApprovalAnswer.from_json(answer)}")
        if answer["reason"]:
            lines.append(f"  {answer['reason']}")
        if "proposal" in answer:
            lines.append(f"  proposed: {_cut(proposal_text(answer['proposal']))}")
    lines += [f"waits for the signal {name}" for name in about["awaited"]]
    for signal in about["signals"]:
        value = json.dumps(signal["value"], ensure_ascii=False)
        lines.append(f"was sent {RunSignal.from_json(signal)}: {value[:_TEXT_LENGTH]}")
    lines += _end_lines(about.get("end", {}))
    for step in about.get("timeline", ()):
        lines += (f"  {line}" for line in _step_lines(step))
    return lines


def _question_lines(question: Mapping[str, Any]) -> list[str]:
    first = f"asks {question['id']}: {question['tool']} {question['summary']}"
    return [first, *(f"  {label}{text}" for label, text in _shown(question))]


def _end_lines(end: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    if "stopped" in end:
        lines.append(f"{end['stopped']} after {end['turns']} turns: {json.dumps(end['value'], ensure_ascii=False)}")
    if end.get("reason"):
        lines.append(end["reason"])
    return lines


def _step_lines(step: Mapping[str, Any]) -> Iterator[str]:
    seconds = "running" if step["ended"] is None else f"{step['ended'] - step['started']:.3f} s"
    yield f"{step['number']:4}  {shown_time(step['started'])}  {step['name']}  {seconds}"
    for label, found in (("args", step["args"]), ("result", step["result"]), ("error", step["error"] or None)):
        if found is not None:
            text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
            yield f"      {label}: {_cut(text)}"


def _cut(text: str) -> str:
    return f"{text[:_TEXT_LENGTH]}… ({len(text)} characters)" if len(text) > _TEXT_LENGTH else text


def _shown(question: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a person needs to know of a question: a label, and a text without control characters."""
    for key, label in _LABELS.items():
        given: Any = question.get(key)
        if key == "scope":
            given = [" ".join(pair) for pair in given or ()]
        text = ", ".join(map(visible, given)) if is_array(given) else visible(str(given or ""))
        if text:
            yield label, text
    if question.get("approvers"):
        yield "may be answered by ", str(Approvers.from_json(question["approvers"]))
    if question.get("dangerous"):
        yield "", "DANGEROUS"
