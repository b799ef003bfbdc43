"""Questions: what a call would ask the permission callback, for hosts that ask before they make the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from toolgen.runtime.calls.call import Call
from toolgen.runtime.calls.stages import decode
from toolgen.runtime.calls.stages.before import permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.calls.call import Host, Tool
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run

Question: TypeAlias = "Callable[[ToolRequest, ToolCallMeta, Run], PermissionRequest | None]"
"""Returns what a call would ask; None if nothing."""


def bind_question(tool: Tool, host: Host) -> Question:
    """Bind the stages that decide whether a call asks to a tool: decoding and permission.

    The question raises `InvalidPayload` for args that do not fit, and `CallFailed` for a path that cannot be used.
    """
    decode_payload, _ = decode.bind(tool)
    stage = permission.bind(tool, host)

    def question(request: ToolRequest, meta: ToolCallMeta, run: Run) -> PermissionRequest | None:
        if stage is None:
            return None
        call = Call(tool, meta.for_call(request.tool_call_id), run, request.payload)
        call.given = decode_payload(request.payload)
        return stage.question(call)

    return question
