"""The action catalog `universal`: where its actions lead, and which of them are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.contract.actions import ActionRule, ActionTables, Visibility, cut, passed_on, renamed, without

if TYPE_CHECKING:
    from collections.abc import Mapping

CATEGORIES: Final = (
    "skill",
    "agent.peer",
    "mcp",
    "file",
    "web",
    "memory_entry",
    "memory_operation",
    "reyn_source",
    "rag_corpus",
    "rag_operation",
    "exec",
)
"""Every category, in its order."""

OPERATION_RULES: Final[Mapping[str, ActionRule]] = {
    "mcp__search_registry": ActionRule("mcp_admin.search_registry", passed_on),
    "mcp__install_registry": ActionRule("mcp_admin.install_registry", passed_on),
    "mcp__install_package": ActionRule("mcp_admin.install_package", passed_on),
    "mcp__install_local": ActionRule("mcp_admin.install_local", passed_on),
    "mcp__list_servers": ActionRule("mcp_admin.list_servers", passed_on),
    "mcp__list_tools": ActionRule("mcp_admin.list_tools", passed_on),
    "mcp__call_tool": ActionRule(
        "mcp_admin.call_mcp_tool",
        lambda _entry, args: {
            **without(args, "args", "server", "tool", "tool_args"),
            **cut(args, "tool", "server", "tool"),
            **renamed(args, "tool_args", "args"),
        },
    ),
    "mcp__drop_server": ActionRule("mcp_admin.drop_server", passed_on),
    "file__read": ActionRule("code.read_file", passed_on),
    "file__write": ActionRule("code.write_file", passed_on),
    "file__edit": ActionRule("code.edit_file", passed_on),
    "file__list": ActionRule("code.list_dir", passed_on),
    "file__delete": ActionRule("router.delete_file", passed_on),
    "web__search": ActionRule("router.web_search", passed_on),
    "web__fetch": ActionRule("router.web_fetch", passed_on),
    "memory_operation__remember_shared": ActionRule("router.remember_shared", passed_on),
    "memory_operation__remember_agent": ActionRule("router.remember_agent", passed_on),
    "memory_operation__forget": ActionRule("router.forget", passed_on),
    "reyn_source__read": ActionRule("router.source_read", passed_on),
    "reyn_source__list": ActionRule("router.source_list", passed_on),
    "rag_operation__recall": ActionRule("router.recall", passed_on),
    "rag_operation__drop_source": ActionRule("router.drop_source", passed_on),
    "exec__run": ActionRule("router.sandboxed_exec", passed_on),
}
"""Where fixed entries lead, by qualified name."""

RESOURCE_RULES: Final[Mapping[str, ActionRule]] = {
    "skill": ActionRule(
        "router.invoke_skill",
        lambda entry, args: {"name": entry, "input": args["input"] if "input" in args else dict(args)},
    ),
    "agent.peer": ActionRule(
        "router.delegate_to_agent",
        lambda entry, args: {
            **without(args, "to", "request", "message"),
            "to": entry,
            **renamed(args, "message", "request"),
        },
    ),
    "memory_entry": ActionRule("router.read_memory_body", lambda entry, args: {**without(args, "slug"), "slug": entry}),
    "rag_corpus": ActionRule("router.recall", lambda entry, args: {**without(args, "sources"), "sources": [entry]}),
}
"""Where entries that the host names lead, by category."""

TABLES: Final = ActionTables(categories=CATEGORIES, operations=OPERATION_RULES, resources=RESOURCE_RULES)


def is_exec_available(sandbox_backend: str | None) -> bool:
    """Whether `exec` is seen, by the setting `sandbox_backend`."""
    return bool(sandbox_backend) and sandbox_backend not in ["noop"]


def is_search_available(embedding_class: str | None) -> bool:
    """Whether `the search for actions` is seen, by the setting `embedding_class`."""
    return bool(embedding_class)


VISIBILITY: Final[Mapping[str, Visibility]] = {
    "exec": Visibility("sandbox_backend", is_exec_available),
}
"""The categories that are only seen where a setting allows it."""

SEARCH: Final = Visibility("embedding_class", is_search_available)
"""When actions can be searched."""
