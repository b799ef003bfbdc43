"""Hooks: callbacks of the host that see every call before and after it runs. They cannot change it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from toolgen.contract.records import setter
from toolgen.runtime.redact.call_secrets import hide_from_person

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolResult
    from toolgen.runtime.calls.call import Call
    from toolgen.runtime.catalog.definition import Permission, ToolDefinition


# A call as the host's code (hooks and the eval gate) sees it. Nothing they do to it changes the call.


class CheckedCall:
    """One call whose args fit their schema."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def tool(self) -> ToolDefinition:
        """The definition of the tool; costs and similar facts are in its metadata."""
        return self._call.tool.definition

    @property
    def tool_name(self) -> str:
        """The ident of the tool."""
        return self._call.tool.entry.ident

    @property
    def permission(self) -> Permission:
        """`readonly` or `write`."""
        return self._call.tool.entry.permission

    @property
    def tags(self) -> Set[str]:
        """The tags of the tool, including its permission."""
        return self._call.tool.definition.tags

    @property
    def arguments(self) -> bytes:
        """The canonical JSON of the args, without injected fields and including secrets: must not be shown."""
        return self._call.arguments

    @property
    def summary(self) -> str:
        """The args on one line, safe to show to a person or a model: as in `PermissionRequest.summary`."""
        from toolgen.runtime.redact.shown_args import summary  # few hooks show args

        return summary(hide_from_person(self._call.args, self._call.secrets))

    @property
    def meta(self) -> ToolCallMeta:
        """The context of the call."""
        return self._call.meta


# The eval gate: an approver that knows what a call costs. It fails open, and cannot override a denial.


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class GateDecision:
    """The answer of a gate. The reason of a refusal is shown to the model."""

    approved: bool
    reason: str = ""

    def __init__(self, *, approved: bool, reason: str = "") -> None:
        # As dataclasses would write it, and a third faster.
        _set_approved(self, approved)
        _set_reason(self, reason)


_set_approved, _set_reason = setter(GateDecision, "approved"), setter(GateDecision, "reason")


Gate: TypeAlias = "Callable[[CheckedCall], GateDecision | Awaitable[GateDecision]]"


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
