"""Recording: what is written to a store about calls and runs, and when a call has to wait for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.contract.records import NOTHING, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed, PermissionFailed
from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.calls.result import failed, set_raw_name
from toolgen.runtime.events.encoding import keeps_value
from toolgen.runtime.events.records import NO_DATA, OF_RUNTIME, EventKind, NewEvent, StoreError
from toolgen.runtime.redact.warning import warn
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from asyncio import Task

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.calls.call import Call
    from toolgen.runtime.events.records import Store, Trace
    from toolgen.runtime.runs.run import Run


_new_event: Final[Callable[[type[NewEvent], tuple[Any, ...]], NewEvent]] = cast("Any", tuple).__new__
"""Creates an event from a tuple of its fields. Two are created per call; by keyword that takes three times as long."""

_STARTED: Final = EventKind.TOOL_STARTED.value
_COMPLETED: Final = EventKind.TOOL_COMPLETED.value


class Recorder:
    """Records the calls of one runtime. `new_run` makes the run id of calls outside of runs, one for each process.

    No call runs unrecorded. A write waits until its start is durable. A read does not wait while the store works: if
    its start or end could not be recorded, its result is withheld, and from then on reads wait too, until a write to
    the store succeeds again.
    """

    def __init__(self, store: Store, new_run: Callable[[], str]) -> None:
        self._store = store
        self._new_run = new_run
        self._is_failing = False
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._own_run = self._new_run()
        self._last: dict[str, Task[None]] = {}

    def started(self, call: Call) -> Awaitable[None] | None:
        """Record the start of a call. Raises `CallFailed` if that is not possible.

        If it returns an awaitable, that must be awaited before the call runs, and raises the same.
        """
        entry = call.tool.entry
        try:
            event = self._event(_STARTED, call, _caller(call.meta, call.run), call.args_text)
            waiting = self._begun(event, self._store.append(event))
        except Exception as error:  # the store may be the host's
            self._is_failing = True
            raise _unrecorded(entry.ident) from error
        if waiting is None:
            return None
        if entry.permission == "write" or self._is_failing:
            return self._on_record(entry.ident, waiting)
        call.unconfirmed = waiting
        return None

    async def _on_record(self, name: str, waiting: Awaitable[None]) -> None:
        try:
            await waiting
        except Exception as error:  # as above
            self._is_failing = True
            raise _unrecorded(name) from error
        self._is_failing = False

    def reported(self, call: Call, kind: str, data: Mapping[str, Any]) -> None:
        """Record a progress report. Raises ValueError for a kind of event that is reserved for the runtime."""
        _check_reportable(kind)
        try:
            event = self._event(kind, call, data)
            self._begun(event, self._store.append(event), partial(_no_progress, call))
        except Exception as error:  # noqa: BLE001  # stores may be the host's; progress events are optional
            _no_progress(call, error)

    def ended(self, call: Call, result: ToolResult[Any]) -> Awaitable[ToolResult[Any]] | ToolResult[Any]:
        """Record the end and the result of a call; return the result for the caller, or an awaitable of it.

        Its args are in the event of its start, if it started. The result of a read that could not be recorded is
        withheld. The result of a write is returned, because the write has happened.
        """
        error = result.error
        data = NO_DATA if call.permission is NOTHING else {"permission": call.permission}
        if error is None:
            event = self._event(_COMPLETED, call, data, None, call.trace)
        else:
            args = call.args_text if not call.is_started and call.given is not None else None
            # A call that ran was not denied, whatever its error says.
            kind, caller = EventKind.TOOL_FAILED, NO_DATA
            if not call.is_started:
                kind, caller = _kind(error), _caller(call.meta, call.run)
            event = self._event(kind, call, {"code": error.code, **caller, **data}, args, call.trace, has_failed=True)
        try:
            waiting = self._finish(event, result)
        except Exception as error:  # noqa: BLE001  # stores may be the host's; a call never raises
            return self._off_record(call, event, result, error)
        if waiting is None and call.unconfirmed is None:
            return result
        return self._confirmed(call, event, result, waiting)

    async def _confirmed(
        self, call: Call, event: NewEvent, result: ToolResult[Any], waiting: Awaitable[None] | None
    ) -> ToolResult[Any]:
        try:
            if call.unconfirmed is not None:
                await call.unconfirmed
            if waiting is not None:
                await waiting
        except Exception as error:  # noqa: BLE001  # as above
            return self._off_record(call, event, result, error)
        self._is_failing = False
        return result

    def _off_record(self, call: Call, event: NewEvent, result: ToolResult[Any], error: Exception) -> ToolResult[Any]:
        self._is_failing = True
        _not_on_record(event, error)
        if call.tool.entry.permission == "write" or not call.is_started:
            return result
        withheld = failed(result.tool_name, result.tool_call_id, _unrecorded(result.tool_name))
        if "raw_tool_name" in result.metadata:
            set_raw_name(withheld, result.metadata["raw_tool_name"])
        return withheld

    def cancelled(self, call: Call, result: ToolResult[Any]) -> None:
        """Record that a call ended with its caller, without waiting for the store."""
        event = self._event(EventKind.TOOL_FAILED, call, {"code": "cancelled"}, trace=call.trace)
        try:
            self._begun(event, self._store.finish(event, result), partial(_not_on_record, event))
        except Exception as error:  # noqa: BLE001  # stores may be the host's; the call has already ended
            _not_on_record(event, error)

    async def refused(
        self, result: ToolResult[Any], meta: ToolCallMeta | None, run: Run | None, reason: str = ""
    ) -> None:
        """Record a call without a tool, or one that was skipped. The reason is only for the record."""
        data: dict[str, Any] = {"code": result.error.code} if result.error else {}
        if meta is not None:
            data |= _caller(meta, run)
        if reason:
            data["reason"] = reason
        run_id = self._own_run if meta is None else meta.run_id or self._own_run
        event = NewEvent(_kind(result.error), run_id, result.tool_name, result.tool_call_id, data)
        try:
            waiting = self._finish(event, result)
            if waiting is not None:
                await waiting
        except Exception as error:  # noqa: BLE001  # as above: the call has already ended
            _not_on_record(event, error)

    async def run_ended(self, meta: ToolCallMeta, reason: str) -> None:
        """Record the end of a run, unless it is on record: see `Store.append`. Raises `StoreError`."""
        event = NewEvent(EventKind.RUN_ENDED, meta.run_id or self._own_run, data={"end_reason": reason})
        waiting = self._begun(event, self._store.append(event))
        if waiting is not None:
            await waiting

    def _finish(self, event: NewEvent, result: ToolResult[Any]) -> Awaitable[None] | None:
        try:
            waiting = self._store.finish(event, result)
        except (ValueError, TypeError, RecursionError):  # for example, a name or an id that is not text
            waiting = self._store.finish(*_in_short(event, result))
        return self._begun(event, waiting)

    def _begun(
        self,
        event: NewEvent,
        waiting: Awaitable[None] | None,
        failed: Callable[[BaseException], None] | None = None,
    ) -> Awaitable[None] | None:
        """Return what a store answers, as a write that goes on: a coroutine, of a host's store, becomes a task.

        It would write nothing before it is awaited, and end with a caller that is cancelled. Those of one run are
        written one after the other. Where nobody waits for it, `failed` is told an error.
        """
        if waiting is None or waiting.__class__ is not CoroutineType:
            return waiting
        from asyncio import ensure_future, shield  # slow to import, and only for such stores

        run_id, writing = event.run_id, cast("Coroutine[Any, Any, None]", waiting)
        task = self._last[run_id] = ensure_future(_after(self._last.get(run_id), writing))
        task.add_done_callback(partial(self._written, run_id))
        if failed is None:
            return shield(task)
        task.add_done_callback(lambda task: _tell_failure(task, failed))
        return task

    def _written(self, run_id: str, task: Task[None]) -> None:
        if self._last.get(run_id) is task:
            del self._last[run_id]

    def _event(
        self,
        kind: str,
        call: Call,
        data: Mapping[str, Any],
        args: bytes | str | None = None,
        trace: Trace | None = None,
        *,
        has_failed: bool = False,
    ) -> NewEvent:
        tool, meta = call.tool, call.meta
        secrets = tool.secrets
        if has_failed or ((secrets.is_watched or call.run is not None) and call.has_secrets):
            secrets = call.secrets
        run_id = meta.run_id or self._own_run
        return _new_event(NewEvent, (kind, run_id, tool.entry.ident, meta.tool_call_id, data, args, secrets, trace))


def _caller(meta: ToolCallMeta, run: Run | None) -> Mapping[str, Any]:
    """Who a call is made for, by which agent, and by which execution of its run; said in its first event."""
    about: dict[str, Any] = {}
    if meta.user is not None:
        about["user"] = meta.user
    if run is not None and run.agent:
        about["agent"] = run.agent
    if meta.fencing_token is not None:
        about["fencing"] = meta.fencing_token  # what is named a token is redacted
    return about or NO_DATA


def _not_on_record(event: NewEvent, error: BaseException) -> None:
    warn("the end of a call of %s is not recorded", event.tool, error=error, secrets=event.secrets)


def _no_progress(call: Call, error: BaseException) -> None:
    warn("the progress of %s is not recorded", call.tool.entry.ident, error=error, secrets=call.secrets)


async def _after(before: Task[None] | None, writing: Coroutine[Any, Any, None]) -> None:
    """Write when another write has ended, however it did."""
    from asyncio import get_running_loop, wait  # as in `Recorder._begun`

    try:
        if before is not None and before.get_loop() is get_running_loop():
            await wait([before])
        await writing
    finally:
        writing.close()  # where this was cancelled first, it was never awaited


def _tell_failure(writing: Task[None], failed: Callable[[BaseException], None]) -> None:
    error = StoreError("the write was cancelled") if writing.cancelled() else writing.exception()
    if error is not None:
        failed(error)


def _kind(error: ToolError | None) -> EventKind:
    if error is None:
        return EventKind.TOOL_COMPLETED
    if isinstance(error.cause, PermissionFailed):
        return EventKind.PERMISSION_FAILED
    is_denied = error.kind in (FailureKind.PERMISSION_DENIED, FailureKind.TOOL_NOT_AVAILABLE)
    return EventKind.TOOL_DENIED if is_denied else EventKind.TOOL_FAILED


def _in_short(event: NewEvent, result: ToolResult[Any]) -> tuple[NewEvent, ToolResult[Any]]:
    """Reduce an end that is not JSON to the call and its value, or the kind and code of its error.

    If these are not JSON either, they are not recorded.
    """
    name, call_id = visible(event.tool), visible(event.tool_call_id)
    data = {"reason": "the rest is not JSON"}
    if result.error is None:
        payload, error = result.payload if keeps_value(result) else b"", None
    else:
        payload, error = b"", ToolError(message="", kind=result.error.kind, code=visible(result.error.code))
        data["code"] = error.code
    kept = event._replace(tool=name, tool_call_id=call_id, data=data, args=None)
    return kept, ToolResult(tool_name=name, tool_call_id=call_id, payload=payload, error=error)


def _check_reportable(kind: Any) -> None:
    """Raise ValueError for a kind of event that a call must not report, because readers of the record rely on it."""
    if not isinstance(kind, str):
        raise ValueError(f"the kind of a progress report must be text, not {type(kind).__name__}")
    if kind in OF_RUNTIME:
        raise ValueError(f"a call cannot report {kind!s}: such events are reserved for the runtime")


def _unrecorded(name: str) -> CallFailed:
    message = f"{name} cannot run: the call cannot be recorded"
    return CallFailed(FailureKind.UNAVAILABLE, "not_recorded", message, "go on without it, and tell the user")
