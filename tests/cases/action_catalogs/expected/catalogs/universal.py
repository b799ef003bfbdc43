"""The action catalog `universal`: where its actions lead, and which of them are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.contract.actions import ActionRule, ActionTables, Visibility, cut, passed_on, renamed, without

if TYPE_CHECKING:
    from collections.abc import Mapping

CATEGORIES: Final = (
    "skill",
    "file",
    "web",
    "rag.corpus",
    "mcp",
)
"""Every category, in its order."""

OPERATION_RULES: Final[Mapping[str, ActionRule]] = {
    "file__read": ActionRule("router.read", passed_on),
    "web__search": ActionRule("router.search", passed_on),
    "web__first": ActionRule(
        "router.search",
        lambda _entry, args: {**without(args, "limit", "query", "text"), "limit": 1, **renamed(args, "text", "query")},
    ),
    "mcp__call_tool": ActionRule(
        "router.call_tool",
        lambda _entry, args: {
            **without(args, "args", "server", "tool", "tool_args"),
            **cut(args, "tool", "server", "tool"),
            **renamed(args, "tool_args", "args"),
        },
    ),
}
"""Where fixed entries lead, by qualified name."""

RESOURCE_RULES: Final[Mapping[str, ActionRule]] = {
    "skill": ActionRule(
        "router.invoke_skill",
        lambda entry, args: {"name": entry, "input": args["input"] if "input" in args else dict(args)},
    ),
    "rag.corpus": ActionRule(
        "router.recall",
        lambda entry, args: {**without(args, "sources", "filter"), "sources": [entry], "filter": "$literal"},
    ),
}
"""Where entries that the host names lead, by category."""

TABLES: Final = ActionTables(categories=CATEGORIES, operations=OPERATION_RULES, resources=RESOURCE_RULES)


def is_web_available(network_enabled: str | None) -> bool:
    """Whether `web` is seen, by the setting `network_enabled`."""
    return bool(network_enabled)


def is_rag_corpus_available(backend: str | None) -> bool:
    """Whether `rag.corpus` is seen, by the setting `backend`."""
    return bool(backend) and backend not in ["none", "noop"]


def is_mcp_available(tier: str | None) -> bool:
    """Whether `mcp` is seen, by the setting `tier`."""
    return bool(tier) and tier in ["light", "strong"]


def is_search_available(embedding: str | None) -> bool:
    """Whether `the search for actions` is seen, by the setting `embedding`."""
    return bool(embedding) and embedding not in ["none"]


VISIBILITY: Final[Mapping[str, Visibility]] = {
    "web": Visibility("network_enabled", is_web_available),
    "rag.corpus": Visibility("backend", is_rag_corpus_available),
    "mcp": Visibility("tier", is_mcp_available),
}
"""The categories that are only seen where a setting allows it."""

SEARCH: Final = Visibility("embedding", is_search_available)
"""When actions can be searched."""
