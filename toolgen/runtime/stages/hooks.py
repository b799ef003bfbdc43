"""PreToolUse and PostToolUse: the hooks of the host, in their order."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from toolgen.runtime.errors import HookDenied
from toolgen.runtime.hooks import HookRequest
from toolgen.runtime.log import warn

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.call import After, Call, Host, Stage, Tool


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage before permission; None without hooks."""
    if not host.hooks:
        return None

    async def pre_tool_use(call: Call) -> None:
        request = _request(tool, call)
        for hook in host.hooks:
            try:
                waiting = hook.pre_tool_use(request)
                denial = await waiting if isawaitable(waiting) else waiting
            except Exception as error:
                raise HookDenied(request.tool_name, "a hook failed") from error
            if denial is not None:
                raise HookDenied(request.tool_name, denial.reason)

    return pre_tool_use


def bind_after(tool: Tool, host: Host) -> After | None:
    """Make the stage after execution; None without hooks."""
    if not host.hooks:
        return None

    async def post_tool_use(call: Call, result: ToolResult[Any]) -> None:
        request = _request(tool, call)
        for hook in host.hooks:
            try:
                waiting = hook.post_tool_use(request, result)
                if isawaitable(waiting):
                    await waiting
            except Exception as error:  # noqa: BLE001  # it is the host's code, and the call is over
                warn("a hook failed after %s", request.tool_name, error=error)

    return post_tool_use


def _request(tool: Tool, call: Call) -> HookRequest:
    definition = tool.definition
    return HookRequest(
        tool_name=definition.name,
        permission=definition.permission,
        tags=definition.tags,
        arguments=tool.arguments(call.given),
        meta=call.meta,
    )
