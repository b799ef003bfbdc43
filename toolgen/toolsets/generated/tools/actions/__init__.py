"""`actions`: How a model finds what it can do, where it is not shown all of it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.describe_action import (
        DescribeActionArgs as DescribeActionArgs,
        DescribeActionResult as DescribeActionResult,
    )
    from .types.list_actions import ListActionsArgs as ListActionsArgs, ListActionsResult as ListActionsResult
    from .types.search_actions import SearchActionsArgs as SearchActionsArgs, SearchActionsResult as SearchActionsResult
    from .types.search_tools import (
        SearchToolsArgs as SearchToolsArgs,
        SearchToolsResult as SearchToolsResult,
        SearchToolsResultToolsItem as SearchToolsResultToolsItem,
    )
    from . import codecs as codecs
    from .calls import (
        new_describe_action_call as new_describe_action_call,
        new_list_actions_call as new_list_actions_call,
        new_search_actions_call as new_search_actions_call,
        new_search_tools_call as new_search_tools_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        DESCRIBE_ACTION as DESCRIBE_ACTION,
        LIST_ACTIONS as LIST_ACTIONS,
        SEARCH_ACTIONS as SEARCH_ACTIONS,
        SEARCH_TOOLS as SEARCH_TOOLS,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "DESCRIBE_ACTION": ".idents",
            "DescribeActionArgs": ".types.describe_action",
            "DescribeActionResult": ".types.describe_action",
            "Handlers": ".dispatch",
            "LIST_ACTIONS": ".idents",
            "ListActionsArgs": ".types.list_actions",
            "ListActionsResult": ".types.list_actions",
            "SEARCH_ACTIONS": ".idents",
            "SEARCH_TOOLS": ".idents",
            "SearchActionsArgs": ".types.search_actions",
            "SearchActionsResult": ".types.search_actions",
            "SearchToolsArgs": ".types.search_tools",
            "SearchToolsResult": ".types.search_tools",
            "SearchToolsResultToolsItem": ".types.search_tools",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_describe_action_call": ".calls",
            "new_list_actions_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_actions_call": ".calls",
            "new_search_tools_call": ".calls",
        },
    )
