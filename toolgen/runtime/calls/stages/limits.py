"""Limits: how often a user may call a tool.

An attempt that passes here counts even if the call fails later. A call that an engine makes again counts once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from toolgen.contract.records import counted_as
from toolgen.runtime.base.errors import CallFailed, ToolRateLimited
from toolgen.runtime.policy.rate_limits import limits_unavailable

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Before, Call, Host, Tool


def bind(tool: Tool, host: Host) -> Before | None:
    """Return the stage; None for a tool without limits per user."""
    return _bound(tool, host, host.counters.take)


def bind_check(tool: Tool, host: Host) -> Before | None:
    """Return a check that fails as the stage would, and counts nothing; None for a tool without limits per user."""
    return _bound(tool, host, host.counters.wait)


def _bound(tool: Tool, host: Host, take: Callable[..., float | Awaitable[float]]) -> Before | None:
    name = tool.definition.name
    limits = tool.definition.settings.limits
    if not limits.are_per_user:
        return None
    cooldown, daily = limits.cooldown_seconds, limits.daily_limit
    clock = host.clock

    def limit(call: Call) -> Awaitable[None] | None:
        user = call.meta.user
        if not user:
            raise ToolRateLimited(name, None)
        try:
            wait = take(name, user, clock(), cooldown, daily, counted_as(call.meta))
        except CallFailed:
            raise
        except Exception as error:  # counters may be the host's: the call is refused
            raise limits_unavailable(name) from error
        if wait == 0:
            return None
        if isinstance(wait, int | float):
            raise ToolRateLimited(name, wait)
        return later(wait)

    async def later(waiting: Awaitable[float]) -> None:
        try:
            wait = await waiting
        except CallFailed:
            raise
        except Exception as error:  # as above
            raise limits_unavailable(name) from error
        if wait:
            raise ToolRateLimited(name, wait)

    return limit
