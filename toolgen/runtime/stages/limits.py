"""Limits: how often a user may call a tool. An attempt that passes here counts, whatever becomes of it later."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING

from toolgen.runtime.counters.protocol import Attempt
from toolgen.runtime.errors import ToolRateLimited

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Host, Stage, Tool


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None for a tool without limits per user."""
    name = tool.definition.name
    limits = tool.definition.metadata.get("limits", {})
    cooldown, daily = limits.get("cooldown_seconds", 0), limits.get("daily_limit", 0)
    if not cooldown and not daily:
        return None

    async def limit(call: Call) -> None:
        user = call.meta.user
        if not user:
            raise ToolRateLimited(name, None)
        attempt = Attempt(ident=name, user=user, at=host.clock(), cooldown_seconds=cooldown, daily_limit=daily)
        wait = host.counters.take(attempt)
        seconds = await wait if isawaitable(wait) else wait
        if seconds:
            raise ToolRateLimited(name, seconds)

    return limit
