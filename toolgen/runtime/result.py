"""Results: how a call ends, in words that a model can act on and that leak nothing of the host."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.errors import (
    CallFailed,
    CatalogError,
    InvalidPayload,
    MalformedResult,
    PermissionDenied,
    ToolNotFound,
    ToolUnavailable,
    TypesDisagree,
)
from toolgen.runtime.json_text import json_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgen.contract.records import Issue

_blank: Callable[[], ToolResult[Any]] = partial(object.__new__, ToolResult)

_PATH: Final = re.compile(r"(?<![\w:/.\\])(?:[A-Za-z]:\\|/)(?:[^\s'\":,;/\\]+[/\\])+")
_MESSAGE: Final = 300


def succeeded(tool_name: str, tool_call_id: str, value: Any, json_value: dict[str, Any]) -> ToolResult[Any]:
    """Build the result of a call that went well. A frozen class would set its fields three times as slowly."""
    result = _blank()
    fields = result.__dict__
    fields["tool_name"] = tool_name
    fields["tool_call_id"] = tool_call_id
    fields["value"] = value
    fields["make_payload"] = partial(json_bytes, json_value)
    fields["metadata"] = {}
    return result


def failed(tool_name: str, tool_call_id: str, error: Exception) -> ToolResult[Any]:
    """Build the result of a call that ended in an exception."""
    result = ToolResult[Any](tool_name=tool_name, tool_call_id=tool_call_id, error=tool_error_from_error(error))
    return with_error_shown(result)


def with_error_shown(result: ToolResult[Any]) -> ToolResult[Any]:
    """Show a model the error of a result, unless whoever made it said what to show."""
    if result.error is None or result.blocks:
        return result
    return replace(result, blocks=(ContentBlock(type="text", data=error_text(result.error)),))


def with_raw_name(result: ToolResult[Any], name: str) -> ToolResult[Any]:
    """Keep the name that was asked for, where it is not the ident."""
    return replace(result, metadata={**result.metadata, "raw_tool_name": name})


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
    message, kind, code, hint = _explained(error)
    issues = error.issues if isinstance(error, InvalidPayload) else ()
    return ToolError(message=message, kind=kind, code=code, issues=issues, hint=hint, cause=error)


def _explained(error: Exception) -> tuple[str, FailureKind, str, str]:
    """Give message, kind, code and hint."""
    match error:
        case CallFailed():
            return _message(error), error.kind, error.code, error.hint
        case MalformedResult():
            hint = "the tool is at fault, not the call"
            return "malformed result", FailureKind.MALFORMED_RESULT, "malformed_result", hint
        case InvalidPayload():
            return "invalid payload", FailureKind.INVALID_CALL, "validation_error", _hints(error.issues)
        case ToolNotFound():
            hint = _did_you_mean(error.suggestions)
            return "unknown tool", FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available", hint
        case ToolUnavailable():
            return str(error), FailureKind.UNAVAILABLE, "no_executor", "go on without it"
        case PermissionDenied():
            hint = "do not repeat the call unchanged; go on without it, or ask the user"
            return str(error), FailureKind.PERMISSION_DENIED, "permission_denied", hint
        case TimeoutError():
            return _message(error), FailureKind.TIMEOUT, "timeout", ""
        case TypesDisagree() | CatalogError():
            return str(error), FailureKind.INTERNAL, "broken_package", "the host is at fault, not the call"
        case _:
            return _message(error), FailureKind.INTERNAL, "handler_error", ""


def _did_you_mean(suggestions: Sequence[str]) -> str:
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else "call one of the tools you were given"


def _hints(issues: Sequence[Issue]) -> str:
    return _cut("; ".join(f"{issue.pointer}: {issue.hint}" if issue.pointer else issue.hint for issue in issues))


def _message(error: Exception) -> str:
    first_line = str(error).partition("\n")[0].strip()
    return _cut(_PATH.sub("", first_line)) or f"the tool failed with {type(error).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= _MESSAGE else text[: _MESSAGE - 1] + "…"
