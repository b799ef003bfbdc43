"""Handlers of the toolset `actions`, with which a model finds actions that are not listed in its requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import FailureKind
from toolgen.llm.actions.hot_list import owner_of
from toolgen.llm.actions.listing import describe_action, list_actions, search_actions
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.runs.run import run_of
from toolgen.toolsets.generated.tools.actions import executor

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolsetRegistration
    from toolgen.llm.actions.view import ActionEntry
    from toolgen.llm.tool_use import ToolUse
    from toolgen.runtime.runs.run import Run
    from toolgen.toolsets.generated.tools.actions import (
        DescribeActionArgs,
        ListActionsArgs,
        SearchActionsArgs,
        SearchToolsArgs,
    )


class ActionTools:
    """Handlers of the tools of `actions`. Each call sees only what its run may call.

    Results are JSON, not typed, because the toolset may be compiled into the host's package.
    """

    def __init__(self, tool_use: ToolUse) -> None:
        self._tool_use = tool_use

    def registration(self) -> ToolsetRegistration:
        """Return the registration for `Runtime(executors=[...])`."""
        return executor(self)

    async def list_actions(self, args: ListActionsArgs, meta: ToolCallMeta, /) -> Any:
        """List actions by name, with a short description each."""
        return await list_actions(
            self._tool_use.view(_run(meta)),
            categories=args.category or (),
            text=args.filter or "",
            offset=args.offset,
            limit=args.limit,
            first=lambda entries: self._hot(entries, owner_of(meta)),
        )

    async def describe_action(self, args: DescribeActionArgs, meta: ToolCallMeta, /) -> Any:
        """Describe one action, with its input schema and target."""
        return await describe_action(self._tool_use.view(_run(meta)), args.action_name)

    async def search_actions(self, args: SearchActionsArgs, meta: ToolCallMeta, /) -> Any:
        """Search actions by what they do."""
        view = self._tool_use.view(_run(meta))
        if not view.can_be_searched:
            raise CallFailed(FailureKind.UNAVAILABLE, "no_search", "actions cannot be searched here", "list them")
        return await search_actions(view, args.query, args.limit, self._tool_use.finder.actions)

    async def search_tools(self, args: SearchToolsArgs, meta: ToolCallMeta, /) -> Any:
        """Search tools by what they do."""
        candidates = self._tool_use.candidates(_run(meta))
        found = await self._tool_use.finder.tools(args.query, args.limit, candidates)
        return {"tools": [{"name": ident, "description": candidates[ident].short_description} for ident in found]}

    def _hot(self, entries: Mapping[str, ActionEntry], owner: str) -> Sequence[str]:
        use = self._tool_use
        return use.hot_list.top(use.hot_list_size, use.actions.hot_list_seeds, entries, owner)


def _run(meta: ToolCallMeta) -> Run:
    run = run_of(meta)
    if run is None:
        raise CallFailed(FailureKind.UNAVAILABLE, "no_run", "actions belong to a run, but this call has none")
    return run
