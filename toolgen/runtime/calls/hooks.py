"""Hooks: the host's own look at every call, before it may run and after it has. They change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.checked_call import CheckedCall


@dataclass(frozen=True, slots=True)
class Denial:
    """A hook's no. The reason is shown to the model."""

    reason: str


class Hook(Protocol):
    """Looks at calls. A hook that fails before a call denies it; one that fails after it is logged."""

    def pre_tool_use(self, call: CheckedCall, /) -> Denial | Awaitable[Denial | None] | None:
        """Look at a call before permission is asked; a `Denial` ends it."""
        ...

    def post_tool_use(self, call: CheckedCall, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Look at the result of a call that was executed, whether it went well or not."""
        ...
