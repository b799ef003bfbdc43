"""Hooks: the host's own look at every call, before it may run and after it has. They change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Set

    from toolgen.contract.records import ToolCallMeta, ToolResult
    from toolgen.runtime.definition import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRequest:
    """What a hook is told of one call. `arguments` is the canonical JSON of its checked args."""

    tool_name: str
    permission: Permission
    tags: Set[str]
    arguments: bytes
    meta: ToolCallMeta


@dataclass(frozen=True, slots=True)
class Denial:
    """A hook's no. The reason is shown to the model."""

    reason: str


class Hook(Protocol):
    """Looks at calls. A hook that fails before a call denies it; one that fails after it is logged."""

    def pre_tool_use(self, request: HookRequest, /) -> Denial | Awaitable[Denial | None] | None:
        """Look at a call before permission is asked; a `Denial` ends it."""
        ...

    def post_tool_use(self, request: HookRequest, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Look at the result of a call that was executed, whether it went well or not."""
        ...
