"""Failures: the results of calls of one tool that failed after they had begun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolResult
from toolgen.runtime.base.cancellation import ends_the_caller
from toolgen.runtime.base.errors import RunStopped
from toolgen.runtime.calls.results.result import failed, failed_call
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.events.trace import now
from toolgen.runtime.issues.example import example_of
from toolgen.runtime.runs.misuse import host_failure, misuse_of

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest
    from toolgen.runtime.calls.call import After, Call, Tool
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.runs.run import Entered

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
            stopped = RunStopped(reason, call.reports)
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
        if stage not in _OF_TOOL:
            error = misuse_of(request, call.meta, call.run) or host_failure(error, f"the stage {stage}")
        secrets = call.secrets
        result = failed_call(ident, call_id, error, payload, self._example, by_handler=by_handler, secrets=secrets)
        _note(call, stage, result.error.code if result.error is not None else "")
        return result

    def _example(self) -> str:
        definition, check = self.tool.definition, self.tool.args.check
        examples = definition.metadata.get("examples", ())
        return example_of(definition.input_schema, examples, lambda made: not check(made))


def _abort_reason(error: BaseException, call: Call, entered: Entered | None) -> str | None:
    """Return why the run of a call, or of an agent that it started, was aborted, if that ended the call."""
    if call.run is not None and entered is not None and entered.uncancel_abort():
        return call.run.progress.abort_reason
    return error.reason if isinstance(error, RunStopped) and call.starts is not None else None


def _note(call: Call, stage: str, decision: str) -> None:
    """Add to the trace of a call at which stage it failed, and how."""
    if call.trace is not None:
        call.trace += (decision, (stage, now()))
