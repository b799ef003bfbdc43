"""Turns: all calls that a model made in one answer. Each ends in one result, paired with it by its id."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import FailureKind, ToolError, ToolRequest, ToolResult
from toolgen.runtime.result import with_error_shown
from toolgen.runtime.schedule import Group, Rest, batches, rest_after

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from toolgen.runtime.definition import Entry
    from toolgen.runtime.run import Run

    Invoke = Callable[[ToolRequest], Awaitable[ToolResult[Any]]]


async def run_turn(
    requests: Sequence[ToolRequest],
    entries: Sequence[Entry | None],
    run: Run,
    invoke: Invoke,
    *,
    may_continue: bool,
) -> list[ToolResult[Any]]:
    """Run the calls of a turn, each with an id of its own, and give their results in their order.

    `entries` are the tools that they mean. When the run is aborted, what runs is cancelled and the rest skipped; when
    the caller is cancelled, so is all that runs, and nothing is left behind.
    """
    results: dict[int, ToolResult[Any]] = {}
    rest = Rest.RUN
    for batch in batches(entries):
        for place in batch.places:
            if run.progress.is_aborted:
                results[place] = _aborted(requests[place], run)
            elif rest is Rest.SKIP or (rest is Rest.RUN_READONLY and batch.group is Group.WRITE):
                results[place] = _skipped(requests[place])
        waiting = [place for place in batch.places if place not in results]
        if waiting:
            ended = await _together([requests[place] for place in waiting], run, invoke)
            results.update(zip(waiting, ended, strict=True))
            rest = max(rest, rest_after(batch.group, ended, may_continue=may_continue), key=list(Rest).index)
    return [results[place] for place in range(len(requests))]


async def _together(requests: Sequence[ToolRequest], run: Run, invoke: Invoke) -> list[ToolResult[Any]]:
    calls = [asyncio.ensure_future(invoke(request)) for request in requests]
    run.progress.running.update(calls)
    try:
        await asyncio.wait(calls)
    finally:
        run.progress.running.difference_update(calls)
        left = [call for call in calls if call.cancel()]
        if left:
            await asyncio.wait(left)
    return [_result(call, request, run) for call, request in zip(calls, requests, strict=True)]


def _result(call: asyncio.Future[ToolResult[Any]], request: ToolRequest, run: Run) -> ToolResult[Any]:
    return _aborted(request, run) if call.cancelled() else call.result()


def _aborted(request: ToolRequest, run: Run) -> ToolResult[Any]:
    error = ToolError(message="aborted", kind=FailureKind.ABORTED, code="aborted", hint="the user stopped the run")
    result = _failed(request, error)
    return replace(result, metadata={**result.metadata, "aborted": True, "abort_reason": run.progress.abort_reason})


def _skipped(request: ToolRequest) -> ToolResult[Any]:
    hint = "an earlier call of this turn failed or was denied; call again if it still makes sense"
    return _failed(request, ToolError(message="skipped", kind=FailureKind.SKIPPED, code="skipped", hint=hint))


def _failed(request: ToolRequest, error: ToolError) -> ToolResult[Any]:
    return with_error_shown(ToolResult(tool_name=request.name, tool_call_id=request.tool_call_id, error=error))
