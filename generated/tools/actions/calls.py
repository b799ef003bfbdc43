"""Call builders of `actions`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_describe_action_call(*, action_name: str) -> ToolRequest:
    """Ask for `actions.describe_action`: Describe one action, with its input schema and what it leads to.

    Args:
        action_name: A name that list_actions gave.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DESCRIBE_ACTION, codecs.DESCRIBE_ACTION_ARGS, {"action_name": action_name})


def new_list_actions_call(
    *, category: list[str] | None = None, filter_: str | None = None, offset: int = 0, limit: int = 50
) -> ToolRequest:
    """Ask for `actions.list_actions`: List actions by name, with a short description each.

    Args:
        category: Categories to list; all by default.
        filter_: Text that the name or the short description holds.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.LIST_ACTIONS,
        codecs.LIST_ACTIONS_ARGS,
        {"category": category, "filter": filter_, "offset": offset, "limit": limit},
        {"offset": 0, "limit": 50},
    )


def new_search_actions_call(*, query: str, limit: int = 5) -> ToolRequest:
    """Ask for `actions.search_actions`: Search actions by what they do. The best come first, with descriptions and input schemas.

    Args:
        query: What is to be done, in a few words.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH_ACTIONS, codecs.SEARCH_ACTIONS_ARGS, {"query": query, "limit": limit}, {"limit": 5})


def new_search_tools_call(*, query: str, limit: int = 8) -> ToolRequest:
    """Ask for `actions.search_tools`: Search tools by what they do. Those found can be called from the next step on.

    Args:
        query: What is to be done, in a few words.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH_TOOLS, codecs.SEARCH_TOOLS_ARGS, {"query": query, "limit": limit}, {"limit": 8})
