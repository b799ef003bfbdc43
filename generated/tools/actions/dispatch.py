"""What runs the tools of `actions`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.describe_action import DescribeActionArgs, DescribeActionResult
    from .types.list_actions import ListActionsArgs, ListActionsResult
    from .types.search_actions import SearchActionsArgs, SearchActionsResult
    from .types.search_tools import SearchToolsArgs, SearchToolsResult


class Handlers(Protocol):
    """One method for each tool of `actions`, sync or async."""

    def describe_action(self, args: DescribeActionArgs, meta: ToolCallMeta, /) -> Returns[DescribeActionResult]:
        """Describe one action, with its input schema and what it leads to."""
        ...

    def list_actions(self, args: ListActionsArgs, meta: ToolCallMeta, /) -> Returns[ListActionsResult]:
        """List actions by name, with a short description each."""
        ...

    def search_actions(self, args: SearchActionsArgs, meta: ToolCallMeta, /) -> Returns[SearchActionsResult]:
        """Search actions by what they do. The best come first, with descriptions and input schemas."""
        ...

    def search_tools(self, args: SearchToolsArgs, meta: ToolCallMeta, /) -> Returns[SearchToolsResult]:
        """Search tools by what they do. Those found can be called from the next step on."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="actions",
        handlers={
            idents.DESCRIBE_ACTION: handlers.describe_action,
            idents.LIST_ACTIONS: handlers.list_actions,
            idents.SEARCH_ACTIONS: handlers.search_actions,
            idents.SEARCH_TOOLS: handlers.search_tools,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="actions",
        executor=executor,
    )
