"""Idents of the tools of `actions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.describe_action import DescribeActionArgs, DescribeActionResult
    from .types.list_actions import ListActionsArgs, ListActionsResult
    from .types.search_actions import SearchActionsArgs, SearchActionsResult
    from .types.search_tools import SearchToolsArgs, SearchToolsResult

DESCRIBE_ACTION: Final[Ident[DescribeActionArgs, DescribeActionResult]] = Ident("actions.describe_action")
"""Describe one action, with its input schema and what it leads to."""

LIST_ACTIONS: Final[Ident[ListActionsArgs, ListActionsResult]] = Ident("actions.list_actions")
"""List actions by name, with a short description each."""

SEARCH_ACTIONS: Final[Ident[SearchActionsArgs, SearchActionsResult]] = Ident("actions.search_actions")
"""Search actions by what they do. The best come first, with descriptions and input schemas."""

SEARCH_TOOLS: Final[Ident[SearchToolsArgs, SearchToolsResult]] = Ident("actions.search_tools")
"""Search tools by what they do. Those found can be called from the next step on."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    DESCRIBE_ACTION,
    LIST_ACTIONS,
    SEARCH_ACTIONS,
    SEARCH_TOOLS,
)
"""Every tool of this toolset."""
