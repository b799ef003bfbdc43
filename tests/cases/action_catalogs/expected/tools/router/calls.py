"""Call builders of `router`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest


def new_call_tool_call(*, server: str, tool: str, args: dict[str, JsonValue] | None = None) -> ToolRequest:
    """Ask for `router.call_tool`: Call a tool of a server.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CALL_TOOL, codecs.CALL_TOOL_ARGS, {"server": server, "tool": tool, "args": args})


def new_invoke_skill_call(*, name: str, input_: dict[str, JsonValue]) -> ToolRequest:
    """Ask for `router.invoke_skill`: Run a skill.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INVOKE_SKILL, codecs.INVOKE_SKILL_ARGS, {"name": name, "input": input_})


def new_read_call(*, path: str) -> ToolRequest:
    """Ask for `router.read`: Read a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.READ, codecs.READ_ARGS, {"path": path})


def new_recall_call(*, sources: list[str], query: str, filter_: str | None = None) -> ToolRequest:
    """Ask for `router.recall`: Ask sources.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RECALL, codecs.RECALL_ARGS, {"sources": sources, "query": query, "filter": filter_})


def new_search_call(*, query: str, limit: int | None = None) -> ToolRequest:
    """Ask for `router.search`: Search the web.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH, codecs.SEARCH_ARGS, {"query": query, "limit": limit})
