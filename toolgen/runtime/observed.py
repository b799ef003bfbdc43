"""Calls that somebody observes, a stage, a hook, a run or a store: what happens to them once their args are decoded."""

from __future__ import annotations

from collections.abc import Awaitable
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.contract.records import ToolResult
from toolgen.runtime.call import Form
from toolgen.runtime.result import failed
from toolgen.runtime.trace import now, reached

if TYPE_CHECKING:
    from toolgen.runtime.call import Call
    from toolgen.runtime.recording import Recorder
    from toolgen.runtime.steps import Steps

POST_HOOKS: Final = "post_hooks"


async def run(steps: Steps, call: Call, recorder: Recorder | None) -> ToolResult[Any]:
    """Take a call through its stages, to its result. Raises what ended it."""
    end_stage = call.trace.append
    end_stage(now())
    for stage in steps.stages:
        waiting = stage(call)
        if waiting is not None:
            await waiting
        if call.decision:
            end_stage(call.decision)
            call.decision = ""
        end_stage(now())
    if recorder is not None:
        waiting = recorder.started(call)
        if waiting is not None:
            await waiting
        end_stage(now())
    call.begin(recorder.reported if recorder is not None else None)
    outcome = steps.execute(call.given, call.meta)
    if outcome.__class__ is CoroutineType or is_waiting(outcome):
        outcome = await outcome
    end_stage(now())
    result = steps.encode(outcome, call.meta.tool_call_id)
    if result.error is None:
        for finish in steps.finishes:
            result = finish(call, result)
    if steps.size is not None:
        sized = steps.size(call, result)
        result = sized if isinstance(sized, ToolResult) else await sized
    if result.error is not None:
        end_stage(result.error.code)
    end_stage(now())
    return result


def after(steps: Steps, call: Call, result: ToolResult[Any], recorder: Recorder | None) -> Awaitable[None] | None:
    """Let the hooks look at a call that was executed, and put its end on record."""
    if steps.after is not None and call.is_started:
        waiting = steps.after(call, result)
        if waiting is not None:
            return _later(waiting, call, result, recorder)
        call.trace.append((POST_HOOKS, now()))
    return recorder.ended(call, result) if recorder is not None else None


async def _later(waiting: Awaitable[None], call: Call, result: ToolResult[Any], recorder: Recorder | None) -> None:
    await waiting
    call.trace.append((POST_HOOKS, now()))
    if recorder is not None:
        recorded = recorder.ended(call, result)
        if recorded is not None:
            await recorded


def is_in_handler(call: Call) -> bool:
    """Whether what a call raises now is raised by a handler of the host's."""
    return call.tool.form is Form.TYPED and reached(call.trace) == "execute"


def failed_at(call: Call, decision: str) -> None:
    """Note in the trace of a call where it failed, and how."""
    call.trace += (decision, (reached(call.trace), now()))


async def bounded(steps: Steps, call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
    """Bound what is shown of a result, where something bounds it."""
    if steps.size is None:
        return result
    sized = steps.size(call, result)
    return sized if isinstance(sized, ToolResult) else await sized


def cut_off(call: Call, error: BaseException, recorder: Recorder | None) -> None:
    """Put on record that the caller of a call was ended, and the call with it. There is no time to wait."""
    if recorder is not None:
        failed_at(call, "cancelled")
        recorder.cut_off(call, failed(call.tool.entry.ident, call.meta.tool_call_id, error))


def is_waiting(outcome: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether an outcome is still to come."""
    return isinstance(outcome, Awaitable)
