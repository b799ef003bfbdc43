"""Encode: what the executor gave must fit the result schema; it becomes the typed value and its JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolResult
from toolgen.runtime.errors import InvalidPayload, MalformedResult
from toolgen.runtime.result import succeeded, with_error_shown

if TYPE_CHECKING:
    from toolgen.runtime.call import Encode, Tool


def bind(tool: Tool) -> Encode:
    """Make what takes what the executor gave. It raises `MalformedResult`."""
    name, codec = tool.definition.name, tool.result
    write = codec.writer

    def encode(outcome: Any, tool_call_id: str) -> ToolResult[Any]:
        payload = write(outcome)
        if payload is not None:
            return succeeded(name, tool_call_id, outcome, payload)
        try:
            if isinstance(outcome, ToolResult):
                return adopt(outcome, tool_call_id)
            value, payload = codec.settle(outcome)
        except InvalidPayload as error:
            raise MalformedResult(error.issues) from error
        return succeeded(name, tool_call_id, value, payload)

    def adopt(given: ToolResult[Any], tool_call_id: str) -> ToolResult[Any]:
        """Take an executor's own result, under the name and the id of the call."""
        result = replace(given, tool_name=name, tool_call_id=tool_call_id)
        if given.error is not None:
            return with_error_shown(result)
        only_text = given.value is None and given.payload
        value, payload = codec.settle(codec.decode(given.payload) if only_text else given.value)
        return replace(result, value=value, payload=payload)

    return encode
