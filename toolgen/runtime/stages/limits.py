"""Limits: how often a user may call a tool. An attempt that passes here counts, whatever becomes of it later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.counters.protocol import Attempt
from toolgen.runtime.errors import ToolRateLimited

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.runtime.call import Call, Host, Stage, Tool


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None for a tool without limits per user."""
    name = tool.definition.name
    limits = tool.definition.metadata.get("limits", {})
    cooldown, daily = limits.get("cooldown_seconds", 0), limits.get("daily_limit", 0)
    if not cooldown and not daily:
        return None
    take, clock = host.counters.take, host.clock

    def limit(call: Call) -> Awaitable[None] | None:
        user = call.meta.user
        if not user:
            raise ToolRateLimited(name, None)
        wait = take(Attempt(name, user, clock(), cooldown, daily))
        if not isinstance(wait, int | float):
            return later(wait)
        if wait:
            raise ToolRateLimited(name, wait)
        return None

    async def later(waiting: Awaitable[float]) -> None:
        wait = await waiting
        if wait:
            raise ToolRateLimited(name, wait)

    return limit
