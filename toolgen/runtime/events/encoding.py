"""Encoding of events and results as canonical JSON, without secrets, and decoding."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.json_text import MAX_DEPTH, is_deeper
from toolgen.runtime.events.records import Event, EventKind, StoredResult, marks_of
from toolgen.runtime.redact.call_secrets import (
    BESIDE_VALUE,
    hide_args,
    hide_data,
    hide_error,
    hide_issue,
    hide_payload,
    hide_result,
    hide_text,
    is_about_secret,
    with_result_values,
)
from toolgen.runtime.redact.redact import REDACTED
from toolgen.schema.json_values import canonical, is_object

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolError, ToolResult
    from toolgen.runtime.events.records import NewEvent, StageMark
    from toolgen.runtime.redact.secrets import Secrets

COUNTED_AS: Final[Mapping[str, str]] = {
    EventKind.TOOL_COMPLETED: "completed",
    EventKind.TOOL_DENIED: "denied",
    EventKind.PERMISSION_FAILED: "denied",
}
"""The field of `RunSummary` that counts an event with a result; other kinds count as failed."""


def encode_event(event: NewEvent, at: datetime, result: bytes | None = None) -> bytes:
    """Encode an event, with the digest of its result. Raises ValueError or TypeError if it is not JSON.

    Run and number are not included: the chain contains both.
    """
    body = {
        "at": format_time(at),
        "data": event_data(event),
        "kind": event.kind,
        "tool": event.tool,
        "tool_call_id": event.tool_call_id,
    }
    if result is not None:
        body["result"] = result_digest(result)
    return canonical(body)


def event_data(event: NewEvent) -> dict[str, Any]:
    """Return the data of an event as it is stored."""
    data: dict[str, Any] = hide_data(dict(event.data), event.secrets)
    if event.args is not None:
        data = {**data, "args": hide_args(from_json(event.args), event.secrets)}
    if event.trace is not None:
        data = {**data, "stages": [_stage(mark) for mark in marks_of(event.trace)]}
    return data


def _stage(mark: StageMark) -> dict[str, Any]:
    encoded = {"stage": mark.stage, "us": round(mark.ns / 1000, 1)}
    return {**encoded, "decision": mark.decision} if mark.decision else encoded


def decode_event(run_id: str, sequence: int, body: bytes) -> Event:
    """Decode an event. Raises ValueError, KeyError, TypeError or RecursionError if it was not written by a store."""
    read = _read(body)
    return Event(
        run_id=run_id,
        sequence=sequence,
        kind=str(read["kind"]),
        tool=str(read["tool"]),
        tool_call_id=str(read["tool_call_id"]),
        at=decode_time(read["at"]),
        data=_object(read["data"]),
    )


_DEEPEST: Final = MAX_DEPTH + 20
"""How deep what stores write is nested at most: args and values with what they stand in."""


def _read(body: bytes) -> Any:
    read = json.loads(body, parse_constant=_refuse)
    if body.count(b"[") + body.count(b"{") > _DEEPEST and is_deeper(read, _DEEPEST):
        raise ValueError("it is nested too deep")
    return read


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def encode_result(result: ToolResult[Any], secrets: Secrets) -> bytes:
    """Encode a final result. Raises ValueError or TypeError if it is not JSON."""
    content = result_content(result, secrets, has_value=keeps_value(result))
    return canonical(
        {"content": content, "success": result.success, "tool": result.tool_name, "tool_call_id": result.tool_call_id}
    )


def result_content(result: ToolResult[Any], secrets: Secrets, *, has_value: bool) -> dict[str, Any]:
    """Return all parts of a result that are not empty, without the secrets of its call: for records and for people."""
    content: dict[str, Any] = {}
    if result.error is not None:
        content["error"] = _error(result.error, secrets)
    else:
        value = json.loads(result.payload) if result.payload else None
        secrets = with_result_values(secrets, value)
        if has_value:
            content["value"] = hide_result(value, secrets)
    if result.blocks:
        content["blocks"] = [_block(block.type, block.data, result.error, secrets) for block in result.blocks]
    if result.message is not None:
        content["message"] = hide_text(result.message, secrets)
    if result.side_effects:
        content["side_effects"] = [hide_text(effect, secrets) for effect in result.side_effects]
    if result.bounds is not None:
        content["bounds"] = hide_data(asdict(result.bounds), secrets)
    for name in BESIDE_VALUE:
        if value := getattr(result, name):
            content[name] = hide_data(dict(value), secrets)
    return content


def keeps_value(result: ToolResult[Any]) -> bool:
    """Whether the value is stored: if it is too large to be shown, only the blocks are."""
    return result.error is None and not result.is_cut


def decode_result(run_id: str, sequence: int, body: bytes) -> StoredResult:
    """Decode a result. Raises as `decode_event` does."""
    read = _read(body)
    content = _object(read["content"])
    if "error" in content:
        error = _object(content["error"])
        texts = {name: str(error[name]) for name in ("kind", "code", "message")}
        content = {**content, "error": {**error, **texts}}
    return StoredResult(
        run_id=run_id,
        sequence=sequence,
        tool=str(read["tool"]),
        tool_call_id=str(read["tool_call_id"]),
        success=bool(read["success"]),
        content=content,
    )


def result_digest(body: bytes) -> str:
    """Return the digest of a result, as stored in its event."""
    return sha256(body).hexdigest()


def format_time(at: datetime) -> str:
    """Format a time in UTC, with microseconds: the texts sort like the times."""
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def decode_time(text: str) -> datetime:
    """Parse the format of `format_time`. Raises ValueError or TypeError."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is not UTC:
        raise ValueError("a time is not in UTC")
    return at


def _object(value: Any) -> dict[str, Any]:
    if not is_object(value):
        raise TypeError(f"an object is a {type(value).__name__}")
    return value


def _error(error: ToolError, secrets: Secrets) -> dict[str, Any]:
    hidden = hide_error(error, secrets)
    encoded: dict[str, Any] = {
        "kind": FailureKind(error.kind).value,
        "code": hidden.code,
        "message": hidden.message,
        "hint": REDACTED if _shows_a_secret(error, secrets) else hidden.hint,
        "issues": [_issue(issue, secrets) for issue in error.issues],
    }
    if error.prior_input:
        encoded["prior_input"] = REDACTED if secrets.args else hidden.prior_input
    if error.proposal:
        encoded["proposal"] = hide_payload(error.proposal, secrets)
    return encoded if error.retry_after is None else {**encoded, "retry_after": error.retry_after}


def _issue(issue: Issue, secrets: Secrets) -> dict[str, Any]:
    encoded: dict[str, Any] = hide_data(asdict(hide_issue(issue, secrets)), secrets)
    return {**encoded, "found": REDACTED, "hint": REDACTED} if is_about_secret(issue, secrets) else encoded


def _block(kind: str, data: Any, error: ToolError | None, secrets: Secrets) -> dict[str, Any]:
    """Encode a block that the model was shown: the value, parts of it, or the error."""
    quotes_input = error is not None and bool(error.prior_input and secrets.args)
    if "" in secrets.result or quotes_input or (error is not None and _shows_a_secret(error, secrets)):
        return {"type": kind, "data": REDACTED}
    return {"type": kind, "data": hide_result(data, secrets) if kind == "json" else hide_data(data, secrets)}


def _shows_a_secret(error: ToolError, secrets: Secrets) -> bool:
    """Whether an issue quotes a secret: then the payload may contain one that cannot be located."""
    return any(is_about_secret(issue, secrets) for issue in error.issues)
