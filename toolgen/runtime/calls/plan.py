"""The plan of a tool: the path that every one of its calls takes, with the stages in order."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from enum import Enum
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeGuard, TypeVar

from toolgen.contract.records import ANONYMOUS, CallContext, ToolResult
from toolgen.runtime.base.errors import ToolNotFound
from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.calls.call import Call
from toolgen.runtime.calls.refusals import Failures
from toolgen.runtime.calls.result import set_raw_name, shown_failure
from toolgen.runtime.calls.stages import (
    bounds,
    children,
    decode,
    encode,
    gate,
    hide,
    hints,
    hooks,
    inject,
    limits,
    misfits,
    permission,
    reminder,
    retry_hints,
    size,
)
from toolgen.runtime.events.records import now
from toolgen.runtime.policy.policy import PolicyAnswer
from toolgen.runtime.runs.misuse import check_text
from toolgen.runtime.runs.run import check_may_call, why_over

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.calls.call import After, Host, Tool
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.calls.refusals import Refusals
    from toolgen.runtime.catalog.execution import Execute
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.policy.policy import Policies
    from toolgen.runtime.runs.run import Entered, Run


class Upon(Enum):
    """When a stage after the handler runs."""

    SUCCESS = "success"
    """If the result is a valid value."""
    RESULT = "result"
    """If the handler returned a result or an error, or the call was aborted while it ran."""
    END = "end"
    """If the handler was started, however it ended. The result cannot be changed."""


BEFORE: Final = {
    "limits": limits.bind,
    "hooks": hooks.bind,
    "permission": permission.bind,
    "gate": gate.bind,
    "children": children.bind,
}
"""The stages between decoding and the handler, in order. A stage is bound to a tool once."""

AFTER: Final = {
    "misfits": (misfits.bind, Upon.SUCCESS),
    "bounds": (bounds.bind, Upon.SUCCESS),
    "hints": (hints.bind, Upon.SUCCESS),
    "reminder": (reminder.bind, Upon.SUCCESS),
    "hide": (hide.bind, Upon.SUCCESS),
    "size": (size.bind, Upon.RESULT),
    "post_hooks": (hooks.bind_after, Upon.END),
}
"""The stages after the handler, in order."""

T = TypeVar("T")

_POST_HOOKS: Final = "post_hooks"

_AS_JSON: Final = object()
"""Passed instead of typed args: the request has a payload."""


class Plan(Protocol):
    """Makes a call of one tool, from a request to its result. Raises only exceptions that end the caller.

    The request's name is one of this tool. `typed` are the args, if they are typed.
    """

    def __call__(
        self, request: ToolRequest, meta: ToolCallMeta | None, run: Run | None, typed: Any = ..., /
    ) -> Coroutine[Any, Any, ToolResult[Any]]:
        """Return the coroutine that makes the call."""
        ...


def bind_plan(
    tool: Tool,
    host: Host,
    execute: Execute,
    recorder: Recorder | None,
    refusals: Refusals,
    on_end: Callable[[Call, ToolResult[Any]], None] | None = None,
) -> Plan:
    """Bind the stages to a tool, around its `execute` function. `on_end` is called with each call that has ended.

    The plan is one flat coroutine, because function calls and awaited coroutines are most of the cost of a call. It
    contains the stages that every call has, and loops over those that only some tools have.
    """
    ident = tool.entry.ident
    decode_payload, accept = decode.bind(tool)
    before = tuple((name, stage) for name, bind in BEFORE.items() if (stage := bind(tool, host)) is not None)
    finishes, sizes, ends = (_bind_after(tool, host, upon) for upon in Upon)
    execute = retry_hints.bind(tool, inject.bind(tool, host, execute))
    execute = _in_time(execute, tool, host.policies)
    encode_outcome, model = encode.bind(tool), tool.result.fast_dump[0]
    shown_bytes = size.limit_of(tool, host) or sys.maxsize
    failures = Failures(tool=tool, recorder=recorder, sizes=sizes)
    names = (
        "decode",
        *(name for name, _ in before),
        *(("record",) if recorder else ()),
        "execute",
        "encode",
        _POST_HOOKS,
    )
    is_traced = bool(recorder or on_end)
    is_observed = bool(is_traced or before or finishes or ends)
    is_excluded = bool(host.policies) and host.policies.judge(tool.entry, "main", "").answer is PolicyAnswer.EXCLUDE
    call_id_of, on_report = refusals.call_id_of, recorder.reported if recorder else None

    async def plan(
        request: ToolRequest, meta: ToolCallMeta | None, run: Run | None, typed: Any = _AS_JSON, /
    ) -> ToolResult[Any]:
        call: Call | None = None
        entered: Entered | None = None
        payload: Any = None
        stage = ""
        try:
            if run is not None:
                check_may_call(run, ident)
                meta = meta or run.meta
            elif is_excluded:
                raise ToolNotFound(ident)
            name, call_id = request.name, request.tool_call_id or call_id_of(meta)
            if call_id.__class__ is not str:
                check_text(call_id)
            if typed is _AS_JSON:
                payload = request.payload
            if is_observed or run is not None:
                context = CallContext()
                own = (meta or ANONYMOUS).for_call(call_id, context)
                call = Call(tool, own, run, payload, context)
                if is_traced:
                    call.trace = [names, now()]
                entered = None if run is None else run.enter()
            else:
                own = (meta or ANONYMOUS).for_call(call_id)
            stage = "decode"
            try:
                given = decode_payload(payload) if typed is _AS_JSON else accept(typed)
                if call is not None:
                    call.given = given
                    if typed is not _AS_JSON:
                        given = call.given = call.copy_args()
                    trace = call.trace
                    if trace is not None:
                        trace.append(now())
                    for stage, look in before:  # noqa: B007  # used in `except`: the stage that failed
                        waiting = look(call)
                        if waiting is not None:
                            await waiting
                        if trace is not None:
                            if call.decision:
                                trace.append(call.decision)
                                call.decision = ""
                            trace.append(now())
                    if recorder is not None and trace is not None:
                        stage = "record"
                        waiting = recorder.started(call)
                        if waiting is not None:
                            await waiting
                        trace.append(now())
                    stage = "execute"
                    if run is not None and run.progress.is_over:  # a cancellation may have been swallowed
                        stage = "start"  # it is no failure of the handler
                        raise why_over(run)
                    if run is not None and run.progress.guard is not None:
                        run.progress.guard()
                    call.begin(on_report)
                    own = call.meta
                stage = "execute"
                outcome = execute(given, own)
                kind = outcome.__class__
                if kind is CoroutineType or (kind is not model and _is_waiting(outcome)):
                    outcome = await outcome
                if call is not None and call.trace is not None:
                    call.trace.append(now())
                stage = "encode"
                if outcome.__class__ is ToolResult and len(outcome.payload) > LONG_BYTES:
                    result = await _apart(encode_outcome, outcome, call_id)
                else:
                    result = encode_outcome(outcome, call_id)
                if (
                    finishes
                    or len(result.payload) > shown_bytes
                    or (outcome.__class__ is not model and (result.error is not None or result.blocks))
                ):
                    call = call or Call(tool, own, None, payload)
                    result = await complete(call, result)
                if call is not None and call.trace is not None:
                    if result.error is not None:
                        call.trace.append(result.error.code)
                    call.trace.append(now())
            except BaseException as error:  # handlers may raise anything; our bugs must not leave the call
                call = call or Call(tool, own, None, payload)
                failure = await failures.result_of(error, stage, call, request, entered)
                if failure is None:
                    raise
                result = failure
            finally:
                if call is not None:
                    call.release()
            if name != ident:
                set_raw_name(result, name)
            if not is_observed or call is None:
                return result
            if entered is None:
                recorded = conclude(call, result)
                return result if recorded is result else await _done(recorded)
            with entered.suppress_abort():
                result = await _done(conclude(call, result))
        except BaseException as error:  # noqa: BLE001  # exceptions for the caller are raised again
            has_begun = stage in ("execute", "encode")
            return await refusals.refused(error, request, meta, run, has_begun=has_begun)
        finally:
            if entered is not None:
                entered.leave()
        return result

    async def complete(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        """Pass a handler's result through the stages after it."""
        if result.error is not None:
            result = shown_failure(result, call.secrets)
        else:
            is_long = len(result.payload) > LONG_BYTES
            for finish in finishes:
                result = await _done(await _apart(finish, call, result) if is_long else finish(call, result))
        for bound in sizes:
            result = await _done(bound(call, result))
        return result

    def conclude(call: Call, result: ToolResult[Any]) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        """Run the last stages of a call, and record its end even if the caller is cancelled.

        Returns the result for the caller, or an awaitable of it.
        """
        try:
            for place, end in enumerate(ends if call.is_started else ()):
                seen = end(call, result)
                if seen is not result:
                    return conclude_later(call, result, seen, ends[place + 1 :])
        except BaseException:  # for the caller; the end of the call is recorded nevertheless
            _pass_over(finish_record(call, result))
            raise
        return finish_record(call, result)

    async def conclude_later(
        call: Call, result: ToolResult[Any], seen: ToolResult[Any] | Awaitable[ToolResult[Any]], left: tuple[After, ...]
    ) -> ToolResult[Any]:
        try:
            await _done(seen)
            for end in left:
                await _done(end(call, result))
        except BaseException:  # as above
            _pass_over(finish_record(call, result))
            raise
        return await _done(finish_record(call, result))

    def finish_record(call: Call, result: ToolResult[Any]) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        if ends and call.is_started and call.trace is not None:
            call.trace.append(now() if result.error is None else (_POST_HOOKS, now()))
        if on_end is not None:
            on_end(call, result)
        call.close()
        return recorder.ended(call, result) if recorder is not None else result

    return plan


def _bind_after(tool: Tool, host: Host, wanted: Upon) -> tuple[After, ...]:
    rows = (bind(tool, host) for bind, upon in AFTER.values() if upon is wanted)
    return tuple(stage for stage in rows if stage is not None)


async def _apart(stage: Callable[..., T], *given: Any) -> T:
    """Run a stage in a thread: what a peer answered is so long that it would hold up the event loop."""
    import asyncio  # few answers are long

    return await asyncio.to_thread(stage, *given)


async def _done(result: ToolResult[Any] | Awaitable[ToolResult[Any]]) -> ToolResult[Any]:
    return result if isinstance(result, ToolResult) else await result


def _pass_over(result: ToolResult[Any] | Awaitable[ToolResult[Any]]) -> None:
    """Do not wait until the end of a call is durable: it is written nevertheless."""
    if isinstance(result, Coroutine):
        result.close()


def _is_waiting(outcome: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether a handler returned an awaitable, as `isinstance(outcome, Awaitable)` says, which takes thrice as long."""
    return getattr(outcome.__class__, "__await__", None) is not None


def _in_time(execute: Execute, tool: Tool, policies: Policies) -> Execute:
    """Add the timeout of a tool. Commands are ended by their executor, if one runs them: it has their output so far."""
    definition = tool.definition
    own = definition.settings.limits.timeout_ms
    usual = policies.agent_timeout_ms if "agent" in definition.tags else policies.timeout_ms
    wanted = usual if own is None else own or policies.max_timeout_ms
    if not wanted or (definition.kind == "command" and tool.handler is None):
        return execute
    from toolgen.runtime.calls.deadlines import in_time  # imports asyncio, which calls without a timeout do not need

    seconds = min(wanted, policies.max_timeout_ms or wanted) / 1000
    return in_time(execute, seconds, is_repeatable=tool.entry.is_repeatable)


Question: TypeAlias = "Callable[[ToolRequest, ToolCallMeta, Run], Coroutine[Any, Any, PermissionRequest | None]]"
"""Returns what a call would ask; None if nothing."""


def bind_question(tool: Tool, host: Host) -> Question:
    """Bind the stages that decide whether a call asks to a tool: decoding, limits and permission.

    The question raises `InvalidPayload` for args that do not fit, `ToolRateLimited` for a call that a limit would
    refuse, and `CallFailed` for a path that cannot be used.
    """
    decode_payload, _ = decode.bind(tool)
    stage, check = permission.bind(tool, host), limits.bind_check(tool, host)

    async def question(request: ToolRequest, meta: ToolCallMeta, run: Run) -> PermissionRequest | None:
        if stage is None:
            return None
        call = Call(tool, meta.for_call(request.tool_call_id), run, request.payload)
        call.given = decode_payload(request.payload)
        asked = await stage.question(call)
        if asked is not None and check is not None and (checking := check(call)) is not None:
            await checking
        return asked

    return question
