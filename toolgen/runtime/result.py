"""Results: how a call ends, in words that a model can act on and that leak nothing of the host."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.errors import InvalidPayload, ToolNotFound, ToolUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgen.contract.records import Issue
    from toolgen.runtime.call import Call

_blank: Callable[[], ToolResult[Any]] = partial(object.__new__, ToolResult)

_PATH: Final = re.compile(r"(?<![\w:/.\\])(?:[A-Za-z]:\\|/)(?:[^\s'\":,;/\\]+[/\\])+")
_MESSAGE: Final = 300


def succeeded(call: Call) -> ToolResult[Any]:
    """Build the result of a call that went well. A frozen class would set its fields three times as slowly."""
    result = _blank()
    fields = result.__dict__
    fields["tool_name"] = call.tool_name
    fields["tool_call_id"] = call.tool_call_id
    fields["value"] = call.value
    fields["payload"] = call.encoded
    fields["blocks"] = call.blocks
    fields["metadata"] = call.metadata
    return result


def failed(call: Call, error: ToolError) -> ToolResult[Any]:
    """Build the result of a call that failed; a model is shown the error, unless the executor said what to show."""
    return ToolResult(
        tool_name=call.tool_name,
        tool_call_id=call.tool_call_id,
        error=error,
        blocks=call.blocks or (ContentBlock(type="text", data=error_text(error)),),
        metadata=call.metadata,
    )


def error_text(error: ToolError) -> str:
    """Say what went wrong, and what to do about it, one issue a line."""
    lines = [error.message]
    lines += [f"- {issue.pointer or 'the whole value'}: {issue.hint} (found {issue.found})" for issue in error.issues]
    if error.hint and not error.issues:
        lines.append(error.hint)
    return "\n".join(lines)


def tool_error_from_error(error: Exception) -> ToolError:
    """Turn what a handler or an executor raised into a `ToolError`; the exception itself is kept as its cause.

    The message is the exception's own first line, without folders and cut to its bound.
    """
    if isinstance(error, InvalidPayload):
        return invalid_payload(error)
    if isinstance(error, ToolNotFound):
        return ToolError(
            message="unknown tool",
            kind=FailureKind.TOOL_NOT_AVAILABLE,
            code="tool_not_available",
            hint=_did_you_mean(error.suggestions),
            cause=error,
        )
    if isinstance(error, ToolUnavailable):
        return ToolError(
            message=str(error),
            kind=FailureKind.UNAVAILABLE,
            code="no_executor",
            hint="go on without it",
            cause=error,
        )
    kind = FailureKind.TIMEOUT if isinstance(error, TimeoutError) else FailureKind.INTERNAL
    code = "timeout" if kind is FailureKind.TIMEOUT else "handler_error"
    return ToolError(message=_message(error), kind=kind, code=code, cause=error)


def invalid_payload(error: InvalidPayload) -> ToolError:
    """Say that the args of a call do not fit."""
    return ToolError(
        message="invalid payload",
        kind=FailureKind.INVALID_CALL,
        code="validation_error",
        issues=error.issues,
        hint=_hints(error.issues),
        cause=error,
    )


def malformed_result(error: InvalidPayload) -> ToolError:
    """Say that what a tool gave does not fit its result schema."""
    return ToolError(
        message="malformed result",
        kind=FailureKind.MALFORMED_RESULT,
        code="encode_error",
        issues=error.issues,
        hint="the tool is at fault, not the call",
        cause=error,
    )


def _did_you_mean(suggestions: Sequence[str]) -> str:
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else "call one of the tools you were given"


def _hints(issues: Sequence[Issue]) -> str:
    return _cut("; ".join(f"{issue.pointer}: {issue.hint}" if issue.pointer else issue.hint for issue in issues))


def _message(error: Exception) -> str:
    first_line = str(error).partition("\n")[0].strip()
    return _cut(_PATH.sub("", first_line)) or f"the tool failed with {type(error).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= _MESSAGE else text[: _MESSAGE - 1] + "…"
