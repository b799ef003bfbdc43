"""Calls that somebody observes, a stage, a hook, a run or a store: what happens to them once their args are decoded."""

from __future__ import annotations

from collections.abc import Awaitable
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeGuard

from toolgen.runtime.result import failed

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.call import Call
    from toolgen.runtime.recording import Recorder
    from toolgen.runtime.steps import Steps


async def run(steps: Steps, call: Call, recorder: Recorder | None) -> ToolResult[Any]:
    """Take a call through its stages, to its result. Raises what ended it."""
    for name, stage in steps.stages:
        call.pass_to(name)
        waiting = stage(call)
        if waiting is not None:
            await waiting
    if recorder is not None:
        call.pass_to("record")
        waiting = recorder.started(call)
        if waiting is not None:
            await waiting
    call.begin(recorder.reported if recorder is not None else None)
    outcome = steps.execute(call.given, call.meta)
    if outcome.__class__ is CoroutineType or is_waiting(outcome):
        outcome = await outcome
    call.pass_to("encode")
    result = steps.encode(outcome, call.meta.tool_call_id)
    if result.error is None:
        for finish in steps.finishes:
            result = finish(call, result)
    return await bounded(steps, call, result)


async def end(steps: Steps, call: Call, result: ToolResult[Any], recorder: Recorder | None) -> None:
    """Let the hooks look at a call that was executed, and put its end on record."""
    call.decision = "" if result.error is None else result.error.code
    if steps.after is not None and call.is_started:
        call.pass_to("post_hooks")
        waiting = steps.after(call, result)
        if waiting is not None:
            await waiting
    if recorder is not None:
        call.pass_to("audit")
        await recorder.ended(call, result)


def cut_off(call: Call, error: BaseException, recorder: Recorder | None) -> None:
    """Put on record that the caller of a call was ended, and the call with it. There is no time to wait."""
    if recorder is not None:
        call.decision = "cancelled"
        call.pass_to("audit")
        recorder.cut_off(call, failed(call.tool.entry.ident, call.meta.tool_call_id, error))


def is_waiting(outcome: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether an outcome is still to come."""
    return isinstance(outcome, Awaitable)


async def bounded(steps: Steps, call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
    """Bound what is shown of a result, where something bounds it."""
    if steps.size is None:
        return result
    sized = steps.size(call, result)
    return await sized if isinstance(sized, Awaitable) else sized
