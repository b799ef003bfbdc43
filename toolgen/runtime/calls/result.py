"""Results of calls, with errors that a model can act on and that reveal nothing of the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.effects import Effect
from toolgen.runtime.base.errors import (
    CallFailed,
    CatalogError,
    GateRefused,
    HookDenied,
    InvalidPayload,
    MalformedResult,
    PermissionDenied,
    RunEnded,
    RunStopped,
    TimedOut,
    ToolNotFound,
    ToolRateLimited,
    ToolUnavailable,
    TurnEnded,
    TypesDisagree,
)
from toolgen.runtime.redact.call_secrets import hide_error, hide_other_fields, hide_payload
from toolgen.runtime.redact.exceptions import (
    LONGEST_LINE,
    class_name,
    explanation,
    first_shown_line,
    hiding,
    without_secrets,
)
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.redact.exceptions import Hide
    from toolgen.runtime.redact.secrets import Secrets

_blank: Callable[[], ToolResult[Any]] = partial(object.__new__, ToolResult)

_TEXT: Final = 2000
_ISSUES: Final = 1000
_HINT: Final = 1200
PROPOSED: Final = "proposed args (a call with them asks again): "
"""What the line begins with that has the proposal of a person who denied a call."""

RAW: Final = "mcp"
"""The key in the metadata of a result for what another server of MCP answered, if it is more than the value."""

SENT_AS_TEXT: Final = (
    "the call succeeded and must not be repeated, but its result is too large to be sent as the structured content "
    "that the schema of this tool describes; it begins like this:"
)
"""What an answer of MCP says before the text of a result that is cut."""

_INPUT: Final = 500
"""Maximum characters of an invalid payload that are repeated to the model."""


def is_result(outcome: Any) -> TypeGuard[ToolResult[Any]]:
    """Whether an executor returned a `ToolResult`."""
    return isinstance(outcome, ToolResult)


def succeeded(tool_name: str, tool_call_id: str, value: Any, payload: bytes) -> ToolResult[Any]:
    """Build the result of a successful call, faster than the constructor of the frozen class by a factor of three."""
    result = _blank()
    fields = result.__dict__
    fields["tool_name"] = tool_name
    fields["tool_call_id"] = tool_call_id
    fields["value"] = value
    fields["payload"] = payload
    return result


def failed(
    tool_name: str,
    tool_call_id: str,
    error: BaseException,
    *,
    by_handler: bool = False,
    secrets: Secrets = NO_SECRETS,
) -> ToolResult[Any]:
    """Build the result of a call that ended in an exception; see `tool_error_from_error`."""
    found = tool_error_from_error(error, by_handler=by_handler, secrets=secrets)
    if isinstance(error, RunStopped) and not by_handler:
        return hide_other_fields(_aborted(tool_name, tool_call_id, found, error), secrets)
    return with_error_shown(ToolResult[Any](tool_name=tool_name, tool_call_id=tool_call_id, error=found))


def _aborted(tool_name: str, tool_call_id: str, error: ToolError, stopped: RunStopped) -> ToolResult[Any]:
    """Build the result of an aborted call, which shows the model the call's progress reports."""
    blocks = [ContentBlock(type="text", data=error_text(error))]
    if stopped.reports:
        blocks.append(ContentBlock(type="json", data={"partial": list(stopped.reports)}))
    return ToolResult(
        tool_name=tool_name,
        tool_call_id=tool_call_id,
        error=error,
        blocks=tuple(blocks),
        metadata={"aborted": True, "partial": bool(stopped.reports), "abort_reason": stopped.reason},
    )


def failed_call(
    tool_name: str,
    tool_call_id: str,
    error: BaseException,
    payload: bytes | str | None,
    example: Callable[[], str],
    *,
    by_handler: bool,
    secrets: Secrets,
) -> ToolResult[Any]:
    """Build the result of a call that ended in an exception: as `failed`, with the payload if that was invalid."""
    is_ours = by_handler or isinstance(error, MalformedResult)
    if isinstance(error, InvalidPayload) and not is_ours and payload is not None:
        return _invalid_call(tool_name, tool_call_id, error, payload, example(), secrets)
    return failed(tool_name, tool_call_id, error, by_handler=by_handler, secrets=secrets)


def _invalid_call(
    tool_name: str, tool_call_id: str, error: InvalidPayload, payload: bytes | str, example: str, secrets: Secrets
) -> ToolResult[Any]:
    """Build the result of a call with an invalid payload: the issues, the payload, and an example of valid args."""
    sent = cut(visible(hide_payload(_text_of(payload), secrets, _INPUT)[: _INPUT + 1]), _INPUT)
    shown = replace(tool_error_from_error(error, secrets=secrets), prior_input=sent, example=example)
    return with_error_shown(
        ToolResult[Any](tool_name=tool_name, tool_call_id=tool_call_id, error=shown.caused_by(error))
    )


def _text_of(payload: bytes | str) -> str:
    return payload if isinstance(payload, str) else payload.decode("utf-8", "replace")


def with_error_shown(result: ToolResult[Any]) -> ToolResult[Any]:
    """Add the error to what the model is shown of a result, unless the result already has blocks."""
    if result.error is None or result.blocks:
        return result
    return replace(result, blocks=(ContentBlock(type="text", data=error_text(result.error)),))


def set_raw_name(result: ToolResult[Any], name: str) -> None:
    """Store the requested name, if it is not the ident, in a new result."""
    fields = result.__dict__
    fields["metadata"] = (
        {**fields["metadata"], "raw_tool_name": name} if "metadata" in fields else {"raw_tool_name": name}
    )


def with_raw_id(result: ToolResult[Any], tool_call_id: str) -> ToolResult[Any]:
    """Store the original id of a call that had to be given another one."""
    if tool_call_id in ("", result.tool_call_id):
        return result
    return replace(result, metadata={**result.metadata, "raw_tool_call_id": tool_call_id})


def error_text(error: ToolError) -> str:
    """Describe an error and how to fix it, one issue per line, in at most `_TEXT` characters.

    Issues of a result are left out: a model can do nothing about them. A proposal is the last line, and is never cut:
    `PROPOSED`, and a JSON object.
    """
    lines = [error.message]
    if error.issues and error.kind is not FailureKind.MALFORMED_RESULT:
        lines += _issue_lines(error.issues)
    elif error.hint:
        lines += error.hint.split("\n")
    if error.prior_input:
        lines.append(f"you sent: {error.prior_input}")
    if error.example:
        lines.append(f"args that fit: {error.example}")
    text = cut("\n".join(map(visible, lines)), _TEXT)
    return f"{text}\n{PROPOSED}{error.proposal}" if error.proposal else text


def _issue_lines(issues: Sequence[Issue]) -> list[str]:
    lines = [f"- {issue.pointer or 'the whole value'}: {issue.hint} (found {issue.found})" for issue in issues]
    lengths = list(accumulate(len(line) for line in lines))
    shown = max(1, sum(length <= _ISSUES for length in lengths))
    return lines if shown == len(lines) else [*lines[:shown], f"- and {len(lines) - shown} more"]


def shown_failure(result: ToolResult[Any], secrets: Secrets) -> ToolResult[Any]:
    """Return a result whose error, created by an executor, can be shown: without secrets and folders, within bounds.

    It has no proposal: only who denies a call has one.
    """
    error = result.error
    if error is None:
        return result
    result = hide_other_fields(result, secrets)
    hide = hiding(secrets)
    message, hint = first_shown_line(hide(error.message)) or "the tool failed", _hint(hide(error.hint))
    shown = replace(result.error or error, message=message, hint=hint, proposal="")
    shown = shown if error.cause is None else shown.caused_by(error.cause)
    return with_error_shown(replace(result, error=shown))


def tool_error_from_error(
    error: BaseException, *, by_handler: bool = False, secrets: Secrets = NO_SECRETS
) -> ToolError:
    """Convert an exception of a handler or an executor to a `ToolError`, with the exception as its cause.

    The message is the first line of the exception, without folders, and truncated. An exception of a handler counts as
    a failure of the tool even if stages use its type for calls; only `CallFailed` and timeouts have another kind.
    """
    hide = hiding(secrets)
    if not isinstance(error, Exception):
        message, kind, code, hint = _torn_down(error, hide)
    elif by_handler and not isinstance(error, CallFailed | TimeoutError):
        message, kind, code, hint = _failure(error, hide)
    else:
        message, kind, code, hint = _explained(error, hide)
    issues = _issues(error) if isinstance(error, InvalidPayload) and not by_handler else ()
    retry_after = error.retry_after if isinstance(error, ToolRateLimited) else None
    found = ToolError(message=message, kind=kind, code=code, issues=issues, hint=hint, retry_after=retry_after)
    if isinstance(error, PermissionDenied) and not by_handler:
        found = replace(found, proposal=error.proposal)
    return hide_error(found.caused_by(error), secrets)


def _issues(error: InvalidPayload) -> tuple[Issue, ...]:
    """Return the issues of a payload or result; those of a result reveal nothing of the host."""
    if not isinstance(error, MalformedResult):
        return error.issues
    return tuple(
        replace(each, found=without_secrets(each.found), hint=without_secrets(each.hint)) for each in error.issues
    )


def _explained(error: Exception, hide: Hide) -> tuple[str, FailureKind, str, str]:
    """Return message, kind, code and hint."""
    match error:
        case CallFailed() if not _is_usable(error):
            return _failure(error, hide)
        case CallFailed():
            return _message(error, hide), error.kind, error.code, _hint(hide(error.hint))
        case MalformedResult():
            hint = "the tool is at fault, not the call"
            message = "the result of the tool does not fit its schema"
            return message, FailureKind.MALFORMED_RESULT, "malformed_result", hint
        case InvalidPayload():
            return "invalid payload", FailureKind.INVALID_CALL, "validation_error", _hints(error.issues)
        case ToolNotFound():
            hint = _did_you_mean(error.suggestions)
            return "unknown tool", FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available", hint
        case RunStopped():
            effect = f"; {error.effect}" if error.effect is not None else ""
            return "aborted", FailureKind.ABORTED, "aborted", f"the user stopped the run{effect}"
        case RunEnded():
            return "the run has ended", FailureKind.SKIPPED, "run_ended", "make the call in another run"
        case TurnEnded():
            hint = "an earlier call of this turn failed or was denied; call again if it still makes sense"
            return "skipped", FailureKind.SKIPPED, "skipped", hint
        case ToolUnavailable():
            return str(error), FailureKind.UNAVAILABLE, "no_executor", "go on without it"
        case GateRefused():
            return (
                cut(visible(hide(error.reason)), LONGEST_LINE),
                FailureKind.PERMISSION_DENIED,
                "gate_refused",
                "go on without it",
            )
        case HookDenied():
            hint = "do not repeat the call unchanged; go on without it"
            return cut(visible(hide(str(error))), LONGEST_LINE), FailureKind.PERMISSION_DENIED, "hook_denied", hint
        case ToolRateLimited():
            return str(error), FailureKind.RATE_LIMITED, "rate_limited", _wait(error.retry_after)
        case PermissionDenied():
            hint = "do not repeat the call unchanged; go on without it, or ask the user"
            return str(error), FailureKind.PERMISSION_DENIED, "permission_denied", hint
        case TimeoutError():
            hint = _after_timeout(error.effect if isinstance(error, TimedOut) else None)
            return _message(error, hide), FailureKind.TIMEOUT, "timeout", hint
        case TypesDisagree() | CatalogError():
            return str(error), FailureKind.INTERNAL, "broken_package", "the host is at fault, not the call"
        case _:
            return _failure(error, hide)


def _after_timeout(effect: Effect | None) -> str:
    if effect is Effect.POSSIBLE:
        return effect
    retry = "try again with less to do, or go on without it"
    return f"{effect}: {retry}" if effect is not None else retry


def _is_usable(error: CallFailed) -> bool:
    """Whether the fields of a handler's error can be shown and recorded."""
    from toolgen.runtime.calls.result_fields import issue_in_error  # few calls fail so

    plain = ToolError(message=error.message, kind=error.kind, code=error.code, hint=error.hint)
    return issue_in_error(plain) is None


def _torn_down(error: BaseException, hide: Hide) -> tuple[str, FailureKind, str, str]:
    from asyncio import CancelledError  # slow to import, and few calls end like this

    if isinstance(error, CancelledError):
        return "the tool was cancelled", FailureKind.ABORTED, "cancelled", "go on without it"
    return _failure(error, hide)


def _failure(error: BaseException, hide: Hide) -> tuple[str, FailureKind, str, str]:
    hint = "the tool failed although the call was valid: go on without it, or try other arguments"
    return _message(error, hide), FailureKind.INTERNAL, "handler_error", hint


def _did_you_mean(suggestions: Sequence[str]) -> str:
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else "call one of the tools you were given"


def _wait(seconds: float | None) -> str:
    return "go on without it" if seconds is None else f"try again in {ceil(seconds)} s, or go on without it"


def _hints(issues: Sequence[Issue]) -> str:
    return cut(
        "; ".join(f"{issue.pointer}: {issue.hint}" if issue.pointer else issue.hint for issue in issues), LONGEST_LINE
    )


def _message(error: BaseException, hide: Hide) -> str:
    first_line = explanation(error, hide)
    if not first_line:
        return f"the tool failed with {class_name(error)}"
    return cut(f"{class_name(error)}: {first_line}" if isinstance(error, KeyError) else first_line, LONGEST_LINE)


def _hint(text: str) -> str:
    return cut("\n".join(map(without_secrets, text.split("\n"))), _HINT)
