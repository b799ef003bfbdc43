"""Permission: readonly tools may run; for any other the host's callback is asked. No answer means no."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgen.contract.canonical import canonical
from toolgen.contract.records import FailureKind, ToolError
from toolgen.runtime.call import Form
from toolgen.runtime.permission import Decision, PermissionRequest, allow_all, deny_all

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Host, Stage, Tool

_ALLOWED: Final = (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION)
_ALWAYS_ASKED: Final = frozenset({"dangerous", "network"})


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None where nobody has to be asked."""
    if host.permission is deny_all:
        return lambda _call: _denied(tool, "the host allows no calls")
    if host.permission is allow_all or not needs_permission(tool):
        return None

    async def permission(call: Call) -> ToolError | None:
        try:
            decision = await _ask(tool, host, call)
        except TimeoutError as error:
            return _denied(tool, "nobody answered in time", error)
        except Exception as error:  # noqa: BLE001  # whatever a callback raises, it did not allow the call
            return _denied(tool, "the permission check failed", error)
        return None if decision in _ALLOWED else _denied(tool, "permission was denied")

    return permission


def needs_permission(tool: Tool) -> bool:
    """Whether a tool can do harm: it writes, or is tagged as dangerous, or as one that reaches the network."""
    definition = tool.definition
    return definition.permission != "readonly" or not _ALWAYS_ASKED.isdisjoint(definition.tags)


async def _ask(tool: Tool, host: Host, call: Call) -> Decision:
    import asyncio  # slow to import, and hosts that allow all never need it

    request = PermissionRequest(
        tool_name=tool.definition.name,
        permission=tool.definition.permission,
        tags=tool.definition.tags,
        arguments=_arguments(tool, call),
        meta=call.meta,
    )
    answer = host.permission(request)
    if isinstance(answer, str):
        return answer
    async with asyncio.timeout(host.permission_timeout):
        return await answer


def _arguments(tool: Tool, call: Call) -> bytes:
    if tool.form is Form.TYPED:
        return tool.args.encode(call.args)
    return canonical(json.loads(call.payload or b"{}"))


def _denied(tool: Tool, reason: str, cause: BaseException | None = None) -> ToolError:
    return ToolError(
        message=f"{tool.definition.name} was not allowed to run: {reason}",
        kind=FailureKind.PERMISSION_DENIED,
        code="permission_denied",
        hint="do not repeat the call unchanged; go on without it, or ask the user",
        cause=cause,
    )
