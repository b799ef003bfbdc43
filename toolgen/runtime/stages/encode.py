"""Encode: what the executor gave must fit the result schema; it becomes the typed value and its JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from toolgen.contract.records import ToolError, ToolResult
from toolgen.runtime.errors import InvalidPayload, MalformedResult
from toolgen.runtime.issues import not_sayable
from toolgen.runtime.json_text import NotJson, json_bytes
from toolgen.runtime.result import succeeded, with_error_shown
from toolgen.runtime.server_data import ServerData

if TYPE_CHECKING:
    from toolgen.runtime.call import Encode, Tool


def bind(tool: Tool) -> Encode:
    """Make what takes what the executor gave. It raises `MalformedResult`."""
    name, codec = tool.definition.name, tool.result
    plainly = codec.plainly
    server_data = ServerData(name, tool.definition.metadata.get("server_data", {}))

    def encode(outcome: Any, tool_call_id: str) -> ToolResult[Any]:
        json_value = plainly(outcome)
        if json_value is not None:
            return succeeded(name, tool_call_id, outcome, json_value)
        try:
            given = _result_of(outcome, name)
            _check_said(given)
            return settled(replace(given, tool_name=name, tool_call_id=tool_call_id))
        except InvalidPayload as error:
            raise MalformedResult(error.issues) from error

    def settled(given: ToolResult[Any]) -> ToolResult[Any]:
        if given.error is not None:
            return with_error_shown(given)
        if given.server_data:
            given = replace(given, server_data=server_data.check(given.server_data))
        only_text = given.value is None and given.payload
        value, payload = codec.settle(codec.decode(given.payload) if only_text else given.value)
        return replace(given, value=value, payload=payload)

    return encode


def _result_of(outcome: Any, name: str) -> ToolResult[Any]:
    if isinstance(outcome, ToolError):
        return ToolResult(tool_name=name, error=outcome)
    return outcome if is_result(outcome) else ToolResult(tool_name=name, value=outcome)


def _check_said(given: ToolResult[Any]) -> None:
    """Raise `InvalidPayload` where what an executor says beside a result is no JSON: it could not be recorded."""
    for field in ("audit", "telemetry", "metadata"):
        said = getattr(given, field)
        if said:
            try:
                json_bytes(dict(said))
            except (NotJson, ValueError, TypeError) as error:
                raise InvalidPayload([not_sayable(f"its {field} is no JSON: {error}")]) from None


def is_result(outcome: Any) -> TypeGuard[ToolResult[Any]]:
    """Whether an executor gave a result of its own."""
    return isinstance(outcome, ToolResult)
