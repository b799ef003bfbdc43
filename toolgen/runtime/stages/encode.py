"""Encode: what the executor gave must fit the result schema; it becomes the typed value and its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolError, ToolResult
from toolgen.runtime.errors import InvalidPayload
from toolgen.runtime.result import malformed_result

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Host, Stage, Tool


def bind(tool: Tool, _host: Host) -> Stage:
    """Make the stage with the tool's result codec."""
    codec = tool.result
    settle = codec.settler

    def encode(call: Call) -> ToolError | None:
        try:
            if isinstance(call.outcome, ToolResult):
                return take(call)
            call.value, call.encoded = settle(call.outcome)
        except InvalidPayload as error:
            return malformed_result(error)
        return None

    def take(call: Call) -> ToolError | None:
        result: ToolResult[Any] = call.outcome
        call.blocks = result.blocks
        call.metadata.update(result.metadata)
        if result.error is not None:
            return result.error
        only_text = result.value is None and result.payload
        call.value, call.encoded = settle(codec.decode(result.payload) if only_text else result.value)
        return None

    return encode
