"""Refusals: the results of calls that did not reach a tool. They are recorded too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolgen.contract.records import NOT_OFFERED, FailureKind, ToolResult
from toolgen.runtime.base.effects import effect_of
from toolgen.runtime.base.errors import CallFailed, RunStopped, ToolNotFound, ends_the_caller
from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.result import failed, failed_call, set_raw_name
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.events.records import now
from toolgen.runtime.issues.example import example_of
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.redact.warning import log_failure
from toolgen.runtime.runs.misuse import host_failure, id_of, misuse_of, misuse_of_payload, name_of
from toolgen.spec.text import shown_name

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.calls.call import After, Call, Tool
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.run import Entered, Run


# Resolve: finds the tool of a name, before all other stages. From there on only the ident is used.


class Offers(Protocol):
    """What offers tools to a caller: a run, or all runs together."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Their idents."""
        ...


def resolve(catalog: Catalog, name: str, visible: Offers) -> str:
    """Return the ident of a name. Raises `ToolNotFound`, with suggestions from the tools that are offered."""
    if is_not_offered(name):
        raise ToolNotFound(name)
    ident = catalog.resolve(name)
    if ident is None:
        raise ToolNotFound(name, nearest(name, visible.offered))
    return ident


def is_not_offered(name: Any) -> bool:
    """Whether a name is marked as not offered to the model. `name` may be of any type."""
    return isinstance(name, str) and name.endswith(NOT_OFFERED)


# Failures: the results of calls of one tool that failed after they had begun.

_OF_TOOL: Final = ("decode", "execute", "encode")
"""The stages that run no code of the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Builds the results of failed calls of a tool. `sizes` bound what is shown of an aborted one."""

    tool: Tool
    sizes: tuple[After, ...]
    recorder: Recorder | None

    async def result_of(
        self, error: BaseException, stage: str, call: Call, request: ToolRequest, entered: Entered | None
    ) -> ToolResult[Any] | None:
        """Return the result of a call that failed at a stage; record it and return None if the error is for the caller.

        Must be awaited in the `except` clause of the coroutine that makes the call.
        """
        ident, call_id = self.tool.entry.ident, call.meta.tool_call_id
        reason = _abort_reason(error, call, entered)
        if reason is not None:
            _note(call, stage, "aborted")
            effect = effect_of(error) if call.is_started and not self.tool.entry.is_repeatable else None
            stopped = RunStopped(reason, call.reports, effect)
            result = failed(ident, call_id, stopped, secrets=call.secrets)
            for bound in self.sizes:
                done = bound(call, result)
                result = done if isinstance(done, ToolResult) else await done
            return result
        if not isinstance(error, Exception) and ends_the_caller(error):
            _note(call, stage, "cancelled")
            if self.recorder is not None:
                self.recorder.cancelled(call, failed(ident, call_id, error, secrets=call.secrets))
            return None
        by_handler = self.tool.form is Form.TYPED and stage == "execute"
        payload = None if call.is_typed else request.payload
        if stage == "decode" and not call.is_typed:
            error = misuse_of_payload(request.payload) or error
        elif stage not in _OF_TOOL:
            error = misuse_of(request, call.meta, call.run) or host_failure(error, f"the stage {stage}", call.secrets)
        secrets = call.secrets
        if stage == "permission":
            _note_denied(call, error)
        make = partial(self._made, call_id, error, payload, by_handler=by_handler, secrets=secrets)
        if not call.is_typed and _is_long(request.payload):
            result = await self._apart(make, call, request, entered)
        else:
            result = make()
        _note(call, stage, result.error.code if result.error is not None else "")
        return result

    def _made(
        self, call_id: str, error: BaseException, payload: bytes | str | None, *, by_handler: bool, secrets: Secrets
    ) -> ToolResult[Any]:
        """Make the result of a failed call. An exception that nobody expects of a tool is logged for the operator."""
        ident = self.tool.entry.ident
        result = failed_call(ident, call_id, error, payload, self._example, by_handler=by_handler, secrets=secrets)
        is_internal = result.error is not None and result.error.kind is FailureKind.INTERNAL
        if is_internal and not isinstance(error, CallFailed):
            log_failure(ident, call_id, error, secrets)
        return result

    async def _apart(
        self, make: Callable[[], ToolResult[Any]], call: Call, request: ToolRequest, entered: Entered | None
    ) -> ToolResult[Any]:
        """Make the result of a failed call in a thread: to find the secrets of long args would hold up the event loop.

        A call that is cancelled or aborted meanwhile ends as one that was while its tool ran.
        """
        import asyncio  # slow to import, and few args are long

        try:
            return await asyncio.to_thread(make)
        except asyncio.CancelledError as error:
            result = await self.result_of(error, "execute", call, request, entered)
            if result is None:
                raise
            return result

    def _example(self) -> str:
        definition, check = self.tool.definition, self.tool.args.check
        return example_of(definition.input_schema, definition.settings.examples, lambda made: not check(made))


def _is_long(payload: Any) -> bool:
    return isinstance(payload, bytes | bytearray | str) and len(payload) > LONG_BYTES


def _abort_reason(error: BaseException, call: Call, entered: Entered | None) -> str | None:
    """Return why the run of a call, or of an agent that it started, was aborted, if that ended the call."""
    if call.run is not None and entered is not None and entered.uncancel_abort():
        return call.run.progress.abort_reason
    return error.reason if isinstance(error, RunStopped) and call.starts is not None else None


def _note_denied(call: Call, error: BaseException) -> None:
    """Tell the turn that permission refused a call, unless its args are wrong, which a model can mend.

    The turn does not rely on codes of errors, which handlers choose.
    """
    denied = {} if call.run is None else call.run.progress.denied
    is_refused = not isinstance(error, CallFailed) or error.kind is not FailureKind.INVALID_CALL
    if is_refused and call.meta.tool_call_id in denied:
        denied[call.meta.tool_call_id] = True


def _note(call: Call, stage: str, decision: str) -> None:
    """Add to the trace of a call at which stage it failed, and how."""
    if call.trace is not None:
        call.trace += (decision, (stage, now()))


class Refusals:
    """Builds the results of calls of one runtime that have no plan."""

    def __init__(self, catalog: Catalog, recorder: Recorder | None, new_id: Callable[[str], str]) -> None:
        self._catalog = catalog
        self._recorder = recorder
        self._new_id = new_id

    def call_id_of(self, meta: ToolCallMeta | None) -> str:
        """Return the id of a call without one. The id in its meta is that of another call, if that is running."""
        if meta is None or meta.is_of_a_call:
            return self._new_id("call")
        return meta.tool_call_id or self._new_id("call")

    async def refused(
        self,
        error: BaseException,
        request: ToolRequest,
        meta: ToolCallMeta | None,
        run: Run | None,
        *,
        has_begun: bool = False,
    ) -> ToolResult[Any]:
        """Return the result of a call that could not be prepared, or ended. Raises exceptions meant for the caller.

        Must be awaited in the `except` clause of the coroutine that makes the call. `has_begun` says that its tool may
        have run.
        """
        if not isinstance(error, Exception) and ends_the_caller(error):
            raise error
        misused = misuse_of(request, meta, run)
        if misused is not None:
            return await self._misused(misused, request)
        doing = "the end of the call" if has_begun else "the preparation of the call"
        failure, name = host_failure(error, doing, has_begun=has_begun), name_of(request)
        meta = meta or (run.meta if run else None)
        try:
            call_id = request.tool_call_id or self.call_id_of(meta)
        except BaseException:  # noqa: BLE001  # `new_id` is code of the host; already logged
            call_id = ""
        meant = name.removesuffix(NOT_OFFERED)
        unknown = shown_name(meant) + (NOT_OFFERED if is_not_offered(name) else "")
        result = failed(self._catalog.resolve(meant) or unknown, call_id, failure)
        self._keep_raw_name(result, name)
        if self._recorder is not None:
            await self._recorder.refused(result, meta, run, _exclusion_reason(run, result.tool_name, name))
        return result

    async def never_ran(
        self, run: Run | None, request: ToolRequest, error: BaseException, *, is_on_record: bool = False
    ) -> ToolResult[Any]:
        """Return the result of a call that was skipped."""
        name, call_id = name_of(request), id_of(request) or self._new_id("call")
        result = failed(self._catalog.resolve(name) or shown_name(name), call_id, error)
        self._keep_raw_name(result, name)
        if self._recorder is not None and not is_on_record:
            await self._recorder.refused(result, run.meta if run else None, run)
        return result

    def _keep_raw_name(self, result: ToolResult[Any], name: str) -> None:
        if result.tool_name != name and result.tool_name in self._catalog:
            set_raw_name(result, name)

    async def _misused(self, misused: CallFailed, request: Any) -> ToolResult[Any]:
        """Return the result of a call for which the host passed malformed arguments."""
        result = failed(shown_name(name_of(request)), id_of(request) or self._new_id("call"), misused)
        if self._recorder is not None:
            await self._recorder.refused(result, None, None)
        return result


def _exclusion_reason(run: Run | None, ident: str, name: str) -> str:
    """Return why a tool may not be called: for the record, never for a model."""
    if run is None:
        return ""
    reason = run.effective.excluded.get(ident)
    if reason is None and is_not_offered(name):
        return ExclusionReason.NOT_OFFERED.value
    return reason.value if reason else ""
