"""Permission: readonly tools may run; for any other the host's callback is asked. No answer means no."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgen.contract.canonical import canonical
from toolgen.runtime.call import Form
from toolgen.runtime.errors import PermissionDenied
from toolgen.runtime.permission import Decision, PermissionRequest, allow_all, deny_all

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Host, Stage, Tool

_ALLOWED: Final = (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION)
_ALWAYS_ASKED: Final = frozenset({"dangerous", "network"})


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None where nobody has to be asked."""
    name = tool.definition.name
    if host.permission is allow_all or not (host.permission is deny_all or needs_permission(tool)):
        return None

    async def permission(call: Call) -> None:
        try:
            decision = await _ask(tool, host, call)
        except TimeoutError as error:
            raise PermissionDenied(name, "nobody answered in time") from error
        except Exception as error:
            raise PermissionDenied(name, "the permission check failed") from error
        if decision not in _ALLOWED:
            raise PermissionDenied(name, "permission was denied")

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
        arguments=tool.args.encode(call.given) if tool.form is Form.TYPED else canonical(json.loads(call.given)),
        meta=call.meta,
    )
    answer = host.permission(request)
    if isinstance(answer, str):
        return answer
    async with asyncio.timeout(host.permission_timeout):
        return await answer
