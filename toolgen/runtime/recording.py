"""Recording: what a store is told of calls and runs, and when a call has to wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import FailureKind, ToolError, ToolResult
from toolgen.contract.visible import visible
from toolgen.runtime.errors import CallFailed, PermissionFailed
from toolgen.runtime.stores.encoding import keeps_value
from toolgen.runtime.stores.records import NO_DATA, EventKind, NewEvent, StoreError
from toolgen.runtime.warning import warn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.call import Call
    from toolgen.runtime.stores.protocol import Store
    from toolgen.runtime.trace import Trace


_STARTED: Final = EventKind.TOOL_STARTED
_COMPLETED: Final = EventKind.TOOL_COMPLETED
_REPORTABLE: Final = {EventKind.TOOL_PROGRESS, EventKind.AGENT_RUN_STARTED, EventKind.AGENT_RUN_ENDED}
_RUNTIMES_OWN: Final = frozenset(EventKind) - _REPORTABLE


class Recorder:
    """Writes down the calls of one runtime. `own_run` is the run of calls that are made outside of any."""

    def __init__(self, store: Store, own_run: str) -> None:
        self._store = store
        self._own_run = own_run

    def started(self, call: Call) -> Awaitable[None] | None:
        """Write that a call is about to run. Raises `CallFailed` where that cannot be: nothing runs off the record.

        A write waits until it is on record; a read does not.
        """
        entry = call.tool.entry
        try:
            event = self._event(_STARTED, call, NO_DATA, call.arguments_later())
            waiting = self._store.append(event)
        except StoreError as error:
            raise _unrecorded(entry.ident) from error
        return _on_record(entry.ident, waiting) if waiting is not None and entry.permission == "write" else None

    def reported(self, call: Call, kind: str, data: Mapping[str, Any]) -> None:
        """Write what a call says of its progress. Raises ValueError for a kind of event that is the runtime's own."""
        _check_reportable(kind)
        try:
            self._store.append(self._event(kind, call, data))
        except Exception as error:  # noqa: BLE001  # stores may be the host's, and a call does not fail by its record
            warn("the progress of %s is not on record", call.tool.entry.ident, error=error)

    def ended(self, call: Call, result: ToolResult[Any]) -> Awaitable[None] | None:
        """Write how a call ended, with its result. Its args are in the event that it began with, if it began."""
        error = result.error
        if error is None:
            return self._finish(self._event(_COMPLETED, call, NO_DATA, None, call.trace), result)
        args = call.arguments_later() if not call.is_started and call.given is not None else None
        kind = (
            EventKind.TOOL_FAILED if call.is_started else _kind(error)
        )  # what ran was denied by nobody, whatever it says
        return self._finish(self._event(kind, call, {"code": error.code}, args, call.trace), result)

    def cut_off(self, call: Call, result: ToolResult[Any]) -> None:
        """Write that a call ended with its caller. Nobody waits until it is on record."""
        event = self._event(EventKind.TOOL_FAILED, call, {"code": "cancelled"}, trace=call.trace)
        try:
            self._store.finish(event, result)
        except Exception as error:  # noqa: BLE001  # stores may be the host's, and the call has ended as it has
            _not_on_record(event, error)

    async def refused(self, result: ToolResult[Any], meta: ToolCallMeta | None, reason: str = "") -> None:
        """Write a call that no tool was found for, or that never had its turn. The reason is for the record alone."""
        data: dict[str, Any] = {"code": result.error.code} if result.error else {}
        if reason:
            data["reason"] = reason
        run = (meta and meta.run_id) or self._own_run
        event = NewEvent(_kind(result.error), run, result.tool_name, result.tool_call_id, data)
        waiting = self._finish(event, result)
        if waiting is not None:
            await waiting

    async def run_ended(self, meta: ToolCallMeta, reason: str) -> None:
        """Write that a run is over. Raises `StoreError`."""
        event = NewEvent(EventKind.RUN_ENDED, meta.run_id or self._own_run, data={"end_reason": reason})
        waiting = self._store.append(event)
        if waiting is not None:
            await waiting

    def _finish(self, event: NewEvent, result: ToolResult[Any]) -> Awaitable[None] | None:
        try:
            try:
                waiting = self._store.finish(event, result)
            except (ValueError, TypeError, RecursionError):  # a name or an id that is no text, say
                waiting = self._store.finish(*_in_short(event, result))
        except Exception as error:  # noqa: BLE001  # what was done is done, and the caller gets its result
            _not_on_record(event, error)
            return None
        return None if waiting is None else _on_record_or_said(event, waiting)

    def _event(
        self,
        kind: str,
        call: Call,
        data: Mapping[str, Any],
        args: Callable[[], bytes] | None = None,
        trace: Trace | None = None,
    ) -> NewEvent:
        tool, meta = call.tool, call.meta
        run_id = meta.run_id or self._own_run
        return NewEvent(kind, run_id, tool.entry.ident, meta.tool_call_id, data, args, tool.secrets, trace)


async def _on_record_or_said(event: NewEvent, waiting: Awaitable[None]) -> None:
    try:
        await waiting
    except Exception as error:  # noqa: BLE001  # stores may be the host's, and the caller gets its result
        _not_on_record(event, error)


def _not_on_record(event: NewEvent, error: Exception) -> None:
    warn("the end of a call of %s is not on record", event.tool, error=error)


def _kind(error: ToolError | None) -> EventKind:
    if error is None:
        return EventKind.TOOL_COMPLETED
    if isinstance(error.cause, PermissionFailed):
        return EventKind.PERMISSION_FAILED
    is_denied = error.kind in (FailureKind.PERMISSION_DENIED, FailureKind.TOOL_NOT_AVAILABLE)
    return EventKind.TOOL_DENIED if is_denied else EventKind.TOOL_FAILED


def _in_short(event: NewEvent, result: ToolResult[Any]) -> tuple[NewEvent, ToolResult[Any]]:
    """What is left of an end that is no JSON: which call it was, and its value, or the kind and the code of its error.

    Where these are no JSON either, so be it: they are not on record.
    """
    name, call_id = visible(event.tool), visible(event.tool_call_id)
    data = {"reason": "the rest is no JSON"}
    if result.error is None:
        payload, error = result.payload if keeps_value(result) else b"", None
    else:
        payload, error = b"", ToolError(message="", kind=result.error.kind, code=visible(result.error.code))
        data["code"] = error.code
    kept = event._replace(tool=name, tool_call_id=call_id, data=data, args=None)
    return kept, ToolResult(tool_name=name, tool_call_id=call_id, payload=payload, error=error)


def _check_reportable(kind: Any) -> None:
    """Raise ValueError for a kind of event that a call must not report: whoever reads the record relies on them."""
    if not isinstance(kind, str):
        raise ValueError(f"the kind of what a call reports must be text, not {type(kind).__name__}")
    if kind in _RUNTIMES_OWN:
        raise ValueError(f"a call cannot report {kind!s}: such events are the runtime's own")


def _unrecorded(name: str) -> CallFailed:
    message = f"{name} cannot run now: its call cannot be recorded"
    return CallFailed(FailureKind.UNAVAILABLE, "not_recorded", message, "go on without it, and tell the user")


async def _on_record(name: str, waiting: Awaitable[None]) -> None:
    try:
        await waiting
    except StoreError as error:
        raise _unrecorded(name) from error
