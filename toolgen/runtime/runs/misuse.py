"""Failures of the host: what it passed that no call can be made of, and code of its own that raised."""

from __future__ import annotations

from typing import Any, Final

from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime.base.errors import (
    CallFailed,
    CatalogError,
    InvalidPayload,
    PermissionDenied,
    RunStopped,
    ToolNotFound,
    ToolRateLimited,
    ToolUnavailable,
)
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.run import Run

_IDS: Final = (
    "tool_call_id", "user", "session_id", "run_id", "agent_id", "agent_role", "parent_agent_id", "parent_run_id",
    "parent_tool_call_id",
)  # fmt: skip

_MEANT: Final = (
    CallFailed, CatalogError, InvalidPayload, PermissionDenied, RunStopped, ToolNotFound, ToolRateLimited,
    ToolUnavailable,
)  # fmt: skip
"""What the runtime itself raises before a call runs."""

HOST_AT_FAULT: Final = "the host is at fault, not the call"


def misuse_of(request: Any, meta: Any, run: Any) -> CallFailed | None:
    """Say what of a call is of a wrong type; None where nothing is. A payload is for its decoder to refuse."""
    if not isinstance(request, ToolRequest):
        return _misused("the request", request, "a ToolRequest")
    fields: tuple[tuple[str, Any], ...] = (
        ("the name of the tool", request.name),
        ("the id of the call", request.tool_call_id),
    )
    for what, value in fields:
        if not _is_text(value):
            return _misused(what, value, "text")
    if meta is not None and not isinstance(meta, ToolCallMeta):
        return _misused("the meta of the call", meta, "a ToolCallMeta")
    for name in _IDS:
        given = getattr(meta, name, None)
        if given is not None and not _is_text(given):
            return _misused(f"`{name}` of the meta of the call", given, "text")
    if run is not None and not isinstance(run, Run):
        return _misused("the run of the call", run, "a Run")
    return None


def check_text(call_id: Any) -> None:
    """Raise TypeError for the id of a call that is no text; nothing else would fail for it."""
    if not _is_text(call_id):
        raise TypeError("the id of a call is not text")


def host_failure(error: BaseException, doing: str) -> BaseException:
    """Return what a call fails with that something ended before it ran: anything unforeseen is the host's failure.

    The model is shown nothing of it: the operator is warned.
    """
    if isinstance(error, _MEANT):
        return error
    warn("the host failed in %s before a call ran", doing, error=error)
    failure = CallFailed(FailureKind.INTERNAL, "host_error", f"the call did not run: {doing} failed", HOST_AT_FAULT)
    failure.__cause__ = error
    return failure


def name_of(request: Any) -> str:
    """The name that a request asks for; empty where that is no text."""
    return request.name if isinstance(request, ToolRequest) and _is_text(request.name) else ""


def id_of(request: Any) -> str:
    """The id that a request came with; empty where that is no text."""
    return request.tool_call_id if isinstance(request, ToolRequest) and _is_text(request.tool_call_id) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _misused(what: str, found: object, expected: str) -> CallFailed:
    message = f"the call is malformed: {what} has type {type(found).__name__}, but must be {expected}"
    return CallFailed(FailureKind.INTERNAL, "invalid_request", message, HOST_AT_FAULT)
