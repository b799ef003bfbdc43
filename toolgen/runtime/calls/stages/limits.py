"""Limits: how often a user may call a tool.

An attempt that passes here counts even if the call fails later. A call that an engine makes again counts once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from math import inf
from typing import TYPE_CHECKING

from toolgen.contract.records import counted_as
from toolgen.runtime.base.errors import CallFailed, ToolRateLimited
from toolgen.runtime.policy.rate_limits import limits_unavailable
from toolgen.runtime.redact.warning import warn

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
            answer = take(name, user, clock(), cooldown, daily, counted_as(call.meta))
            if not isinstance(answer, int | float) and isawaitable(answer):
                return later(call, answer)
            wait = _seconds(answer)
        except Exception as error:  # counters may be the host's
            raise failed(call, error) from error
        if wait:
            raise ToolRateLimited(name, wait)
        return None

    async def later(call: Call, waiting: Awaitable[float]) -> None:
        try:
            wait = _seconds(await waiting)
        except Exception as error:  # counters may be the host's
            raise failed(call, error) from error
        if wait:
            raise ToolRateLimited(name, wait)

    def failed(call: Call, error: Exception) -> CallFailed:
        """Return how the call is refused: counters may be the host's, and raise anything."""
        if isinstance(error, CallFailed):
            return error
        warn("the counters failed for %s; the call is refused", name, error=error, secrets=call.secrets)
        return limits_unavailable(name)

    return limit


def _seconds(answer: object) -> float:
    """Return the answer of counters. Raises TypeError for what is no number of seconds, such as None."""
    if isinstance(answer, int | float) and not isinstance(answer, bool) and 0 <= answer < inf:
        return answer
    raise TypeError(f"the counters returned {type(answer).__name__} instead of a number of seconds, 0 or more")
