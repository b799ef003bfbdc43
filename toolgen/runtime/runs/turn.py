"""Turns: all calls of one response of a model. Each has one result, with the same id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from toolgen.contract.records import Response
from toolgen.runtime.base.answers import all_ended
from toolgen.runtime.base.errors import TurnEnded
from toolgen.runtime.runs.misuse import id_of
from toolgen.runtime.runs.run import why_over
from toolgen.runtime.runs.schedule import Group, Rest, batches, group_of, rest_after

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.runtime.catalog.definition import PolicyEntry
    from toolgen.runtime.runs.run import Run

    Invoke = Callable[[ToolRequest], Coroutine[Any, Any, ToolResult[Any]]]


class Refuse(Protocol):
    """Builds the result of a call that does not run, or that has none."""

    async def __call__(
        self, request: ToolRequest, error: BaseException, *, is_on_record: bool = False
    ) -> ToolResult[Any]:
        """Return the result, and record it unless it is recorded already."""
        ...


async def run_turn(
    requests: Sequence[ToolRequest],
    entries: Sequence[PolicyEntry | None],
    run: Run,
    invoke: Invoke,
    refuse: Refuse,
    *,
    may_continue: bool,
    response: Response | None = None,
) -> list[ToolResult[Any]]:
    """Run the calls of a turn, each with an id that no other running turn of the run has; return results in order.

    `entries` are their tools, `refuse` builds the result of a call that does not run. When the run is aborted, running
    calls are cancelled and the rest is refused; when the caller is cancelled, so are all running calls, and no task is
    left. A denial in an earlier turn of the `response` counts as one in this.
    """
    response = Response() if response is None else response
    ids = {id_of(request): False for request in requests}
    run.progress.denied.update(ids)
    try:
        return await _in_batches(requests, entries, run, invoke, refuse, response, may_continue=may_continue)
    finally:
        for call_id in ids:
            run.progress.denied.pop(call_id, None)


async def _in_batches(
    requests: Sequence[ToolRequest],
    entries: Sequence[PolicyEntry | None],
    run: Run,
    invoke: Invoke,
    refuse: Refuse,
    response: Response,
    *,
    may_continue: bool,
) -> list[ToolResult[Any]]:
    results: dict[int, ToolResult[Any]] = {}
    was_denied = response.was_denied
    rest = rest_after(Group.READONLY, has_failed=False, was_denied=was_denied, may_continue=may_continue)
    for batch in batches(map(group_of, entries)):
        is_skipped = rest is Rest.SKIP or (rest is Rest.RUN_READONLY and batch.group is Group.WRITE)
        if run.progress.is_over or is_skipped:
            error = why_over(run) if run.progress.is_over else TurnEnded()
            for place in batch.places:
                results[place] = await refuse(requests[place], error)
        else:
            made = [requests[place] for place in batch.places]
            ended = await together(made, invoke, refuse)
            results.update(zip(batch.places, ended, strict=True))
            was_denied = any(run.progress.denied[id_of(request)] for request in made)
            response.was_denied |= was_denied
            has_failed = any(result.is_error for result in ended)
            rest = max(
                rest,
                rest_after(batch.group, has_failed=has_failed, was_denied=was_denied, may_continue=may_continue),
            )
    return [results[place] for place in range(len(requests))]


async def together(requests: Sequence[ToolRequest], invoke: Invoke, refuse: Refuse) -> list[ToolResult[Any]]:
    """Make calls, each in a task of its own: a tool that cancels that has failed, and the caller goes on."""
    calls = [asyncio.create_task(invoke(request)) for request in requests]
    try:
        await asyncio.wait(calls)
    finally:
        await all_ended(calls)
    return [  # a call that ended its task has recorded that
        await refuse(request, asyncio.CancelledError(), is_on_record=True) if call.cancelled() else call.result()
        for call, request in zip(calls, requests, strict=True)
    ]
