"""`toolgen log`: recorded runs, and whether their records are intact."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.names import suggestion
from toolgen.cli.output import CommandGroup, echo, format_option, show_json
from toolgen.record.calls import calls_of, stages_of
from toolgen.record.chain import ChainError, ChainHead, ChainKey, ChainVerdict, verify_chain
from toolgen.record.stores import name_of_target, open_reader
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.runtime.events.encoding import format_time
from toolgen.runtime.events.records import EventKind, RunNotFound, StoreError
from toolgen.runtime.issues.issue_text import counted
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.record.calls import RecordedCall, RecordedStage
    from toolgen.record.stores import StoreReader
    from toolgen.runtime.events.records import Event, RunRecord, RunSummary

KEY_VARIABLE: Final = "TOOLGEN_LOG_KEY"
_POLL_SECONDS: Final = 0.2

_FOLLOWED: Final = 1_000
"""Events that are read at once."""
_VERDICTS: Final = {
    ChainVerdict.TAMPERED: "the record was tampered with",
    ChainVerdict.OTHER_KEY: "the record cannot be verified with this key",
    ChainVerdict.NO_CHAIN: "the record cannot be verified: it has no chain",
}


class _ShowFirst(CommandGroup):
    """`toolgen log r1` is `toolgen log show r1`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the `show` command where it is omitted."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["show", *args]
        return super().parse_args(ctx, args)


def _existing_store(ctx: click.Context, param: click.Parameter, target: str) -> str:
    """Check that the file of a store exists, except with --follow."""
    if not ctx.params.get("follow") and not is_postgres_url(target):
        if os.path.isdir(target):  # noqa: PTH112  # raises nothing for a long name
            raise click.BadParameter(f"File {target!r} is a directory.", ctx, param)
        if not os.path.exists(target):  # noqa: PTH110  # the same
            raise click.BadParameter(f"File {target!r} does not exist.", ctx, param)
    return target


class _Store(click.types.StringParamType):
    """The path or URL of a store."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Say where a store comes from."""
        return "`Runtime(store=...)` and `toolgen serve --store FILE` keep a record of calls there."


store_option = click.option(
    "--store",
    "target",
    type=_Store(),
    required=True,
    metavar="PATH|URL",
    callback=_existing_store,
    help="The store's file, or postgresql://user@host/database.",
)


@click.group("log", cls=_ShowFirst)
def command() -> None:
    """List recorded runs, show one, or verify that its record is intact.

    `toolgen log [RUN] --store PATH|URL` is short for `toolgen log show`.
    """


@command.command("show")
@click.argument("run", required=False)
@store_option
@click.option(
    "--follow",
    is_flag=True,
    is_eager=True,
    help="Print events as they are recorded, until the run ends. Waits for a store or a run that does not exist yet.",
)
@format_option
def show(*, run: str | None, target: str, follow: bool, output_format: str) -> int:
    """List the runs of a store, or show RUN: its calls, the decision of each stage, and their durations.

    With --follow, print one line per event; with --format json, one JSON object per event.
    """
    with _store(target) as store:
        if run is None:
            if follow:
                raise click.UsageError("Pass the RUN to follow.")
            _show_runs(store.runs(), output_format)
        elif follow:
            _await_store(store, target)
            _follow(store, run, output_format)
        elif output_format == "json":
            show_json(_run_json(store.read(run)))
        else:
            _show_run(store.read(run))
    return 0


@command.command("head")
@click.argument("run")
@store_option
@format_option
def head(*, run: str, target: str, output_format: str) -> int:
    """Print the chain head of RUN. Keep it outside the store, and pass it to `verify` later."""
    with _store(target) as store:
        found = store.head(run)
    if output_format == "json":
        show_json({"run": run, "length": found.length, "digest": found.digest})
    else:
        echo(str(found))
    return 0


@command.command("verify")
@click.argument("run")
@store_option
@click.option("--head", "expected", required=True, metavar="HEAD", help="The output of `toolgen log head`.")
@click.option(
    "--key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"The file with the key that the run was recorded with. Default: the variable {KEY_VARIABLE}.",
)
@format_option
def verify_run(*, run: str, target: str, expected: str, key_file: Path | None, output_format: str) -> int:
    """Check whether events of RUN were edited, removed, moved, added or truncated since HEAD.

    A run that was recorded with another key, or without one, is reported differently from a tampered one.
    """
    with _store(target) as store:
        at = ChainHead.parse(expected)
        key = _key_in(key_file) if key_file else ChainKey.from_environment(KEY_VARIABLE)
        chain = store.chain(run)
    findings = verify_chain(chain, at, key)
    events = len(chain.links)
    verdict = next((verdict for verdict in ChainVerdict if any(found.verdict is verdict for found in findings)), None)
    if output_format == "json":
        found = [{"sequence": finding.sequence, "message": finding.message} for finding in findings]
        show_json({"run": run, "events": events, "intact": not findings, "verdict": verdict, "findings": found})
    elif verdict is not None:
        for finding in findings:
            echo(finding.message)
        echo(visible(f"{run}: {_VERDICTS[verdict]}"))
    else:
        later = f", {events - at.length} of them after the head" if events > at.length else ""
        echo(visible(f"{run}: {counted(events, 'event')}{later}; the record is intact"))
    return 1 if findings else 0


def _key_in(file: Path) -> ChainKey:
    try:
        return ChainKey.from_file(file)
    except ChainError as error:
        raise ChainError(f"{file}: {error}") from None


@contextmanager
def _store(target: str) -> Generator[StoreReader]:
    """Open a store for reading. Store errors become click errors, without a traceback."""
    try:
        with closing(open_reader(target)) as store:
            try:
                yield store
            except RunNotFound as error:
                known = [summary.run_id for summary in store.runs()]
                hint = suggestion(error.run_id, known) or "`toolgen log --store PATH` lists the runs."
                raise click.UsageError(visible(f"There is no run `{error.run_id}`. {hint}")) from None
    except ImportError as error:
        raise click.UsageError(f"{error}.") from None
    except StoreError as error:
        raise click.UsageError(f"{name_of_target(target)}: {error}.") from None
    except ChainError as error:
        raise click.UsageError(f"The record cannot be verified: {error}.") from None


def _show_runs(runs: Iterable[RunSummary], output_format: str) -> None:
    listed = list(runs)
    if output_format == "json":
        show_json([_summary_json(summary) for summary in listed])
        return
    if not listed:
        echo("no runs yet", err=True)
    width = max((len(visible(summary.run_id)) for summary in listed), default=0)
    for summary in listed:
        counts = {"completed": summary.completed, "failed": summary.failed, "denied": summary.denied}
        echo(
            f"{visible(summary.run_id):{width}}  {summary.began:%Y-%m-%d %H:%M:%S}Z  "
            f"{_duration((summary.last - summary.began).total_seconds() * 1e6):>8}  {_ends(counts)}"
        )


def _show_run(run: RunRecord) -> None:
    calls = calls_of(run)
    counts = {state: sum(call.state == state for call in calls) for state in ("completed", "failed", "denied")}
    counts["running"] = sum(call.state == "running" for call in calls)
    began, last = run.events[0].at, run.events[-1].at
    echo(
        f"{visible(run.run_id)}  {began:%Y-%m-%d %H:%M:%S}Z  {_duration((last - began).total_seconds() * 1e6)}  "
        f"{counted(len(calls), 'call')}: {_ends(counts)}"
    )
    lines = {call.events[0].sequence: _call_lines(call) for call in calls}
    lines |= {event.sequence: [_event_line(event)] for event in run.events if not event.tool_call_id}
    for sequence in sorted(lines):
        echo("\n".join(lines[sequence]))


def _call_lines(call: RecordedCall) -> list[str]:
    duration = "" if call.duration_us is None else _duration(call.duration_us)
    first = f"{_clock(call.events[0])}  {call.state:9}  {duration:>8}  {call.tool}  {call.tool_call_id}"
    error: dict[str, Any] = {} if call.result is None else call.result.content.get("error", {})
    parts = f"{error['code']}: {error['message']}" if error else ""
    return [visible(first), *(f"    {visible(line)}" for line in (_stages(call.stages), parts) if line)]


def _event_line(event: Event) -> str:
    parts = [event.kind, event.tool, event.tool_call_id, _stages(stages_of(event))]
    parts += [value for key in ("code", "message", "reason") if isinstance(value := event.data.get(key), str)]
    return visible("  ".join([_clock(event), *(word for word in parts if word)]))


def _await_store(store: StoreReader, target: str) -> None:
    """Wait until the recording process has created the store; its file has no tables at first."""
    if not store.is_begun():
        echo(visible(f"waiting for {name_of_target(target)}"), err=True)
    while not store.is_begun():
        time.sleep(_POLL_SECONDS)


def _follow(store: StoreReader, run: str, output_format: str) -> None:
    after, ended = -1, False
    if not store.page(run, after, 1).events:
        echo(visible(f"waiting for run {run}"), err=True)
    while not ended:
        page = store.page(run, after, _FOLLOWED)
        for event in page.events:
            shown = (
                json.dumps(_event_json(event), ensure_ascii=False) if output_format == "json" else _event_line(event)
            )
            echo(shown.encode("utf-8", "backslashreplace"))
            after, ended = event.sequence, event.kind == EventKind.RUN_ENDED
        if not ended and len(page.events) < _FOLLOWED:
            time.sleep(_POLL_SECONDS)


def _run_json(run: RunRecord) -> dict[str, Any]:
    return {
        "run": run.run_id,
        "began": format_time(run.events[0].at),
        "last": format_time(run.events[-1].at),
        "calls": [_call_json(call) for call in calls_of(run)],
        "events": [_event_json(event) for event in run.events],
    }


def _call_json(call: RecordedCall) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "tool_call_id": call.tool_call_id,
        "state": call.state,
        "began": format_time(call.events[0].at),
        "duration_us": call.duration_us,
        "stages": [{"stage": each.stage, "decision": each.decision, "us": each.us} for each in call.stages],
        "result": None if call.result is None else call.result.content,
    }


def _event_json(event: Event) -> dict[str, Any]:
    return {
        "sequence": event.sequence,
        "kind": event.kind,
        "tool": event.tool,
        "tool_call_id": event.tool_call_id,
        "at": format_time(event.at),
        "data": event.data,
    }


def _summary_json(summary: RunSummary) -> dict[str, Any]:
    return {
        "run": summary.run_id,
        "began": format_time(summary.began),
        "last": format_time(summary.last),
        "events": summary.events,
        "completed": summary.completed,
        "failed": summary.failed,
        "denied": summary.denied,
    }


def _stages(stages: Iterable[RecordedStage]) -> str:
    return ", ".join(
        " ".join(word for word in (each.stage, each.decision, _duration(each.us)) if word) for each in stages
    )


def _ends(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no call has ended"


def _clock(event: Event) -> str:
    return f"{event.at:%H:%M:%S}.{event.at.microsecond // 1000:03}"


def _duration(microseconds: float) -> str:
    for limit, unit, name in ((1_000, 1, "µs"), (1_000_000, 1_000, "ms"), (60_000_000, 1_000_000, "s")):
        if microseconds < limit:
            return f"{microseconds / unit:.3g} {name}"
    minutes, seconds = divmod(round(microseconds / 1_000_000), 60)
    return f"{minutes} min {seconds} s"
