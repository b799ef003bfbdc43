"""Codecs of `actions`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.describe_action import DescribeActionArgs, DescribeActionResult
    from .types.list_actions import ListActionsArgs, ListActionsResult
    from .types.search_actions import SearchActionsArgs, SearchActionsResult
    from .types.search_tools import SearchToolsArgs, SearchToolsResult

DESCRIBE_ACTION_ARGS: Final[Codec[DescribeActionArgs]] = Codec.of_package(PACKAGE, "actions.describe_action", "args")
DESCRIBE_ACTION_RESULT: Final[Codec[DescribeActionResult]] = Codec.of_package(
    PACKAGE, "actions.describe_action", "result"
)
LIST_ACTIONS_ARGS: Final[Codec[ListActionsArgs]] = Codec.of_package(PACKAGE, "actions.list_actions", "args")
LIST_ACTIONS_RESULT: Final[Codec[ListActionsResult]] = Codec.of_package(PACKAGE, "actions.list_actions", "result")
SEARCH_ACTIONS_ARGS: Final[Codec[SearchActionsArgs]] = Codec.of_package(PACKAGE, "actions.search_actions", "args")
SEARCH_ACTIONS_RESULT: Final[Codec[SearchActionsResult]] = Codec.of_package(PACKAGE, "actions.search_actions", "result")
SEARCH_TOOLS_ARGS: Final[Codec[SearchToolsArgs]] = Codec.of_package(PACKAGE, "actions.search_tools", "args")
SEARCH_TOOLS_RESULT: Final[Codec[SearchToolsResult]] = Codec.of_package(PACKAGE, "actions.search_tools", "result")
