"""Calls that somebody observes, a stage, a hook, a run or a store: what happens to them once their tool is known."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import nullcontext
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.contract.records import ToolResult
from toolgen.runtime.base.cancellation import ends_the_caller
from toolgen.runtime.base.errors import RunStopped
from toolgen.runtime.calls.result import failed, failed_call, shown_failure, with_raw_name
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.events.trace import now, reached
from toolgen.runtime.runs.misuse import host_failure, misuse_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.contract.records import ToolRequest
    from toolgen.runtime.calls.call import Call
    from toolgen.runtime.calls.plan import Steps
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.runs.run import Entered

POST_HOOKS: Final = "post_hooks"
_OF_TOOL: Final = ("decode", "execute", "encode")
"""The stages that run no code of the host's."""

_NO_RUN: Final = nullcontext()


async def make(
    steps: Steps, call: Call, decode: Callable[[], Any], request: ToolRequest, recorder: Recorder | None
) -> ToolResult[Any]:
    """Take a call to its end: its stages, its executor, the hooks, the record. Only what ends the caller is raised.

    Once there is a result it stands: an abort that comes later changes nothing of it, and whatever becomes of the
    caller, it is on record.
    """
    entered = call.run.enter() if call.run is not None else None
    with entered or _NO_RUN:
        try:
            result = await _run(steps, call, decode, recorder)
        except BaseException as error:  # noqa: BLE001  # handlers may raise anything; what is not theirs is raised anew
            result = await _failure(error, steps, call, request, recorder, entered)
        finally:
            call.release()
        if request.name != call.tool.entry.ident:
            result = with_raw_name(result, request.name)
        with entered.suppress_abort() if entered is not None else _NO_RUN:
            result = await _finalize(steps, call, result, recorder)
    return result


async def _finalize(steps: Steps, call: Call, result: ToolResult[Any], recorder: Recorder | None) -> ToolResult[Any]:
    """Let the hooks look at a call that was executed, and put its end on record, whatever becomes of the caller.

    Gives the result that the caller gets.
    """
    try:
        if steps.after is not None and call.is_started:
            waiting = steps.after(call, result)
            if waiting is not None:
                await waiting
            call.trace.append((POST_HOOKS, now()))
    finally:
        recorded = recorder.ended(call, result) if recorder is not None else result
    return recorded if isinstance(recorded, ToolResult) else await recorded


async def _run(steps: Steps, call: Call, decode: Callable[[], Any], recorder: Recorder | None) -> ToolResult[Any]:
    """Take a call through its stages, to its result. Raises what ended it."""
    end_stage = call.trace.append
    call.given = decode()
    if call.is_typed:
        call.given = call.copy_args()
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
    if call.run is not None and call.run.progress.is_aborted:  # somebody's code may have swallowed that
        raise RunStopped(call.run.progress.abort_reason)
    call.begin(recorder.reported if recorder is not None else None)
    outcome = steps.execute(call.given, call.meta)
    if outcome.__class__ is CoroutineType or is_waiting(outcome):
        outcome = await outcome
    end_stage(now())
    result = steps.encode(outcome, call.meta.tool_call_id)
    if result.error is None:
        for finish in steps.finishes:
            result = finish(call, result)
    else:
        result = shown_failure(result, call.secrets)
    result = await _bounded(steps, call, result)
    if result.error is not None:
        end_stage(result.error.code)
    end_stage(now())
    return result


async def _failure(
    error: BaseException,
    steps: Steps,
    call: Call,
    request: ToolRequest,
    recorder: Recorder | None,
    entered: Entered | None,
) -> ToolResult[Any]:
    """Give the result of a call that something ended. Raises what is meant for the caller, once that is on record."""
    ident, call_id = call.tool.entry.ident, call.meta.tool_call_id
    reason = _abort_reason(error, call, entered)
    if reason is not None:
        _fail(call, "aborted")
        stopped = RunStopped(reason, call.reports)
        return await _bounded(steps, call, failed(ident, call_id, stopped, secrets=call.secrets))
    if not isinstance(error, Exception) and ends_the_caller(error):
        _fail(call, "cancelled")
        if recorder is not None:
            recorder.cancelled(call, failed(ident, call_id, error, secrets=call.secrets))
        raise error
    stage = reached(call.trace)
    by_handler = call.tool.form is Form.TYPED and stage == "execute"
    payload = None if call.is_typed else request.payload
    if stage not in _OF_TOOL:
        error = misuse_of(request, call.meta, call.run) or host_failure(error, f"the stage {stage}")
    result = failed_call(ident, call_id, error, payload, steps.example, by_handler=by_handler, secrets=call.secrets)
    _fail(call, result.error.code if result.error is not None else "")
    return result


def _abort_reason(error: BaseException, call: Call, entered: Entered | None) -> str | None:
    """Why the run of a call, or the run of an agent that it started, was aborted, where that ended the call."""
    if call.run is not None and entered is not None and entered.uncancel_abort():
        return call.run.progress.abort_reason
    return error.reason if isinstance(error, RunStopped) and call.starts is not None else None


def _fail(call: Call, decision: str) -> None:
    """Note in the trace of a call where it failed, and how."""
    call.trace += (decision, (reached(call.trace), now()))


async def _bounded(steps: Steps, call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
    """Bound what is shown of a result, where something bounds it."""
    if steps.size is None:
        return result
    sized = steps.size(result, lambda: call.secrets)
    return sized if isinstance(sized, ToolResult) else await sized


def is_waiting(outcome: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether an outcome is still to come."""
    return isinstance(outcome, Awaitable)
