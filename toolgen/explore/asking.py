"""Asking: the permission callback whose questions appear in a page."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from toolgen.explore.calls import PageCall
    from toolgen.runtime.policy.permission import PermissionRequest

current_page_call: ContextVar[PageCall | None] = ContextVar("current_page_call", default=None)
"""The call of a page that a piece of code runs for; also in the runs of agents that it started."""

_NOBODY: Final = PermissionDecision(decision=Decision.DENY, reason="no page has made this call, so no one can be asked")


async def ask_in_page(request: PermissionRequest) -> PermissionDecision:
    """Ask the person whose page made the call: `Runtime(..., permission=ask_in_page)`.

    A call that was not made in a page is denied. The runtime itself bounds how long it waits.
    """
    call = current_page_call.get()
    return _NOBODY if call is None else await call.ask(request)
