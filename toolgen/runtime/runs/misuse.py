"""Failures of the host: malformed arguments that it passed, and exceptions in its code."""

from __future__ import annotations

from typing import Any, Final

from toolgen.contract.records import FailureKind, MalformedRequest, ToolCallMeta, ToolRequest
from toolgen.runtime.base.errors import (
    CallFailed,
    CatalogError,
    InvalidPayload,
    PermissionDenied,
    RunEnded,
    RunStopped,
    ToolNotFound,
    ToolRateLimited,
    ToolUnavailable,
)
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.run import Run
from toolgen.schema.json_values import is_text

_IDS: Final = (
    "tool_call_id", "user", "session_id", "run_id", "agent_id", "agent_role", "parent_agent_id", "parent_run_id",
    "parent_tool_call_id",
)  # fmt: skip

_MEANT: Final = (
    CallFailed, CatalogError, InvalidPayload, PermissionDenied, RunEnded, RunStopped, ToolNotFound,
    ToolRateLimited, ToolUnavailable,
)  # fmt: skip
"""Exceptions that the runtime raises before a call runs."""

HOST_AT_FAULT: Final = "the host is at fault, not the call"


def misuse_of(request: Any, meta: Any, run: Any) -> CallFailed | None:
    """Return an error for the first argument of the wrong type; None if there is none. See `misuse_of_payload`."""
    if not isinstance(request, ToolRequest):
        return _misused("the request", request, "a ToolRequest")
    fields: tuple[tuple[str, Any], ...] = (
        ("the name of the tool", request.name),
        ("the id of the call", request.tool_call_id),
    )
    for what, value in fields:
        if not is_text(value):
            return _misused(what, value, "text")
    if meta is not None and not isinstance(meta, ToolCallMeta):
        return _misused("the meta of the call", meta, "a ToolCallMeta")
    for name in _IDS:
        given = getattr(meta, name, None)
        if given is not None and not is_text(given):
            return _misused(f"`{name}` of the meta of the call", given, "text")
    if run is not None and not isinstance(run, Run):
        return _misused("the run of the call", run, "a Run")
    return None


def misuse_of_payload(payload: Any) -> CallFailed | None:
    """Return an error for a payload that is no text or bytes, for which a model is not to blame; None for others."""
    if isinstance(payload, str | bytes | bytearray):
        return None
    return _misused("the payload", payload, "JSON text: write json.dumps(args), or pass typed args to `Runtime.call`")


def check_text(call_id: Any) -> None:
    """Raise TypeError if the id of a call is not text; nothing else would fail."""
    if not is_text(call_id):
        raise TypeError("the id of a call is not text")


def host_failure(
    error: BaseException, doing: str, secrets: Secrets = NO_SECRETS, *, has_begun: bool = False
) -> BaseException:
    """Return the error of a call that an exception ended; an unexpected one is a failure of the host.

    The model is not shown the exception: it is logged for the operator. It is told whether the tool may have run.
    """
    if isinstance(error, _MEANT):
        return error
    warn(
        "the host failed in %s %s",
        doing,
        "after a tool had begun" if has_begun else "before a call ran",
        error=error,
        secrets=secrets,
    )
    what = "the tool may have run, but its result is lost" if has_begun else "the call did not run"
    failure = CallFailed(FailureKind.INTERNAL, "host_error", f"{what}: {doing} failed", HOST_AT_FAULT)
    failure.__cause__ = error
    return failure


def name_of(request: Any) -> str:
    """Return the name in a request, or what a malformed one was to call; empty if it is not text."""
    if isinstance(request, MalformedRequest):
        return request.tool
    return request.name if isinstance(request, ToolRequest) and is_text(request.name) else ""


def id_of(request: Any) -> str:
    """Return the id of a request; empty if it is not text."""
    return request.tool_call_id if isinstance(request, ToolRequest) and is_text(request.tool_call_id) else ""


def _misused(what: str, found: object, expected: str) -> CallFailed:
    message = f"the call is malformed: {what} has type {type(found).__name__}, but must be {expected}"
    return CallFailed(FailureKind.INTERNAL, "invalid_request", message, HOST_AT_FAULT)
