"""Hooks: callbacks of the host that see every call before and after it runs. They cannot change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.checked_call import CheckedCall


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial by a hook. The reason is shown to the model."""

    reason: str


class Hook(Protocol):
    """Callbacks before and after a call.

    A hook that fails before a call denies it; one that fails after it is logged.
    """

    def pre_tool_use(self, call: CheckedCall, /) -> Denial | Awaitable[Denial | None] | None:
        """Check a call before permission is requested; a `Denial` ends it."""
        ...

    def post_tool_use(self, call: CheckedCall, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Receive the result of a call that was executed, whether it succeeded or failed."""
        ...
