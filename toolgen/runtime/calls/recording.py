"""Recording: what a store is told of calls and runs, and when a call has to wait for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.contract.records import FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed, PermissionFailed
from toolgen.runtime.calls.result import failed, set_raw_name
from toolgen.runtime.events.encoding import keeps_value
from toolgen.runtime.events.records import NO_DATA, EventKind, NewEvent
from toolgen.runtime.redact.warning import warn
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.calls.call import Call
    from toolgen.runtime.events.store import Store
    from toolgen.runtime.events.trace import Trace


_new_event: Final[Callable[[tuple[Any, ...]], NewEvent]] = partial(cast("Any", tuple).__new__, NewEvent)
"""Makes an event of a tuple of its fields: two are made of every call, and by name that takes three times as long."""

_STARTED: Final = EventKind.TOOL_STARTED.value
_COMPLETED: Final = EventKind.TOOL_COMPLETED.value
_REPORTABLE: Final = {EventKind.TOOL_PROGRESS, EventKind.AGENT_RUN_STARTED, EventKind.AGENT_RUN_ENDED}
_RUNTIMES_OWN: Final = frozenset(EventKind) - _REPORTABLE


class Recorder:
    """Writes down the calls of one runtime. `own_run` is the run of calls that are made outside of any.

    Nothing runs off the record. A write waits until its start is durable. A read does not, while the store works: where
    its start or its end turns out not to be on record, its result is withheld, and from then on reads wait as well,
    until something is durable again.
    """

    def __init__(self, store: Store, own_run: str) -> None:
        self._store = store
        self._own_run = own_run
        self._is_failing = False

    def started(self, call: Call) -> Awaitable[None] | None:
        """Write that a call is about to run. Raises `CallFailed` where that cannot be.

        What it gives is to be awaited before the call runs, and raises the same.
        """
        entry = call.tool.entry
        try:
            event = self._event(_STARTED, call, _caller(call.meta), call.args_text)
            waiting = self._store.append(event)
        except Exception as error:  # stores may be the host's
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
        except Exception as error:
            self._is_failing = True
            raise _unrecorded(name) from error
        self._is_failing = False

    def reported(self, call: Call, kind: str, data: Mapping[str, Any]) -> None:
        """Write what a call says of its progress. Raises ValueError for a kind of event that is the runtime's own."""
        _check_reportable(kind)
        try:
            self._store.append(self._event(kind, call, data))
        except Exception as error:  # noqa: BLE001  # stores may be the host's, and a call does not fail by its record
            warn("the progress of %s is not on record", call.tool.entry.ident, error=error, secrets=call.secrets)

    def ended(self, call: Call, result: ToolResult[Any]) -> Awaitable[ToolResult[Any]] | ToolResult[Any]:
        """Write how a call ended, with its result; give the result that its caller gets, or what waits for it.

        Its args are in the event that it began with, if it began. The result of a read that is not on record is
        withheld. A write was done, so that its caller has to know how it ended.
        """
        error = result.error
        said = {"permission": call.permission} if call.permission else NO_DATA
        if error is None:
            event = self._event(_COMPLETED, call, said, None, call.trace)
        else:
            args = call.args_text if not call.is_started and call.given is not None else None
            # What ran was denied by nobody, whatever it says.
            kind, user = (EventKind.TOOL_FAILED, NO_DATA) if call.is_started else (_kind(error), _caller(call.meta))
            event = self._event(kind, call, {"code": error.code, **user, **said}, args, call.trace, has_failed=True)
        try:
            waiting = self._finish(event, result)
        except Exception as error:  # noqa: BLE001  # stores may be the host's, and nothing raises out of a call
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
        """Write that a call ended with its caller. Nobody waits until it is on record."""
        event = self._event(EventKind.TOOL_FAILED, call, {"code": "cancelled"}, trace=call.trace)
        try:
            self._store.finish(event, result)
        except Exception as error:  # noqa: BLE001  # stores may be the host's, and the call has ended as it has
            _not_on_record(event, error)

    async def refused(self, result: ToolResult[Any], meta: ToolCallMeta | None, reason: str = "") -> None:
        """Write a call that no tool was found for, or that never had its turn. The reason is for the record alone."""
        data: dict[str, Any] = {"code": result.error.code} if result.error else {}
        if meta is not None:
            data |= _caller(meta)
        if reason:
            data["reason"] = reason
        run = self._own_run if meta is None else meta.run_id or self._own_run
        event = NewEvent(_kind(result.error), run, result.tool_name, result.tool_call_id, data)
        try:
            waiting = self._finish(event, result)
            if waiting is not None:
                await waiting
        except Exception as error:  # noqa: BLE001  # as above: the call has ended as it has
            _not_on_record(event, error)

    async def run_ended(self, meta: ToolCallMeta, reason: str) -> None:
        """Write that a run is over. Raises `StoreError`."""
        event = NewEvent(EventKind.RUN_ENDED, meta.run_id or self._own_run, data={"end_reason": reason})
        waiting = self._store.append(event)
        if waiting is not None:
            await waiting

    def _finish(self, event: NewEvent, result: ToolResult[Any]) -> Awaitable[None] | None:
        try:
            return self._store.finish(event, result)
        except (ValueError, TypeError, RecursionError):  # a name or an id that is no text, say
            return self._store.finish(*_in_short(event, result))

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
        run_id, secrets = meta.run_id or self._own_run, tool.secrets
        if has_failed or ((secrets.is_watched or call.run is not None) and call.has_secrets):
            secrets = call.secrets
        return _new_event((kind, run_id, tool.entry.ident, meta.tool_call_id, data, args, secrets, trace))


def _caller(meta: ToolCallMeta) -> Mapping[str, Any]:
    """Who a call is made for; said in its first event."""
    return NO_DATA if meta.user is None else {"user": meta.user}


def _not_on_record(event: NewEvent, error: Exception) -> None:
    warn("the end of a call of %s is not on record", event.tool, error=error, secrets=event.secrets)


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
