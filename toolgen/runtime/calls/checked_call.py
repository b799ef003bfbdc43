"""A call as the host's code (hooks and the eval gate) sees it. Nothing they do to it changes the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.redact.call_secrets import hide_from_person

if TYPE_CHECKING:
    from collections.abc import Set

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.calls.call import Call
    from toolgen.runtime.catalog.definition import Permission, ToolDefinition


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
