"""Every entry of the worked example, with valid args for the initial data of a new router.

The calls are independent: they can be made in any order, each once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from specs.examples.router.handlers import stdio_servers

SERVER: Final = [sys.executable, str(Path(stdio_servers.__file__)), "time", "1.1"]

ORDERS: Final = {"rows": [{"item": "rope", "price": 12}, {"item": "lamp", "price": 30.5}], "column": "price"}
EDIT: Final = {"path": "notes.md", "edits": [{"old": "7:10", "new": "7:15"}]}
NOW: Final = {"timezone": "UTC"}

EVERY_ENTRY: Final[dict[str, dict[str, Any]]] = {
    "skill__word_count": {"text": "one two\ntwo"},
    "skill__table_total": ORDERS,
    "skill__date_span": {"dates": ["2026-05-20", "2026-05-02"]},
    "agent.peer__alice": {"message": "When is the next release?"},
    "agent.peer__bob": {"message": "What does a berth cost?"},
    "mcp__search_registry": {"query": "time zone"},
    "mcp__install_registry": {"name": "text"},
    "mcp__install_package": {"source": "docker", "package": "mcp/time"},
    "mcp__install_local": {"name": "clock", "argv": SERVER},
    "mcp__list_servers": {},
    "mcp__list_tools": {"server": "time"},
    "mcp__call_tool": {"tool": "time__get_current_time", "tool_args": NOW},
    "mcp__drop_server": {"server": "units"},
    "file__read": {"path": "notes.md"},
    "file__write": {"path": "new/report.md", "content": "Done."},
    "file__edit": EDIT,
    "file__list": {"path": "."},
    "file__delete": {"path": "old.txt"},
    "web__search": {"query": "ferry"},
    "web__fetch": {"url": "http://harbour.example/ferry.html"},
    "memory_entry__house_rules": {},
    "memory_entry__open_questions": {},
    "memory_operation__remember_shared": {"slug": "opening", "body": "The office opens at nine."},
    "memory_operation__remember_agent": {"slug": "todo", "body": "Ask about the crane."},
    "memory_operation__forget": {"slug": "old_address", "layer": "shared"},
    "reyn_source__read": {"path": "docs/overview.md"},
    "reyn_source__list": {"prefix": "docs/"},
    "rag_corpus__meetings": {"query": "Q3 roadmap"},
    "rag_corpus__handbook": {"query": "storm"},
    "rag_operation__recall": {"sources": ["meetings", "handbook"], "query": "ferry", "top_k": 3},
    "rag_operation__drop_source": {"source": "drafts"},
    "exec__run": {"argv": ["echo", "fine; ls $HOME"]},
}
"""Qualified name -> args for `invoke_action`."""

TARGET_CALLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "skill__word_count": ("router.invoke_skill", {"name": "word_count", "input": {"text": "one two\ntwo"}}),
    "skill__table_total": ("router.invoke_skill", {"name": "table_total", "input": ORDERS}),
    "skill__date_span": (
        "router.invoke_skill",
        {"name": "date_span", "input": {"dates": ["2026-05-20", "2026-05-02"]}},
    ),
    "agent.peer__alice": ("router.delegate_to_agent", {"to": "alice", "request": "When is the next release?"}),
    "agent.peer__bob": ("router.delegate_to_agent", {"to": "bob", "request": "What does a berth cost?"}),
    "mcp__search_registry": ("mcp_admin.search_registry", EVERY_ENTRY["mcp__search_registry"]),
    "mcp__install_registry": ("mcp_admin.install_registry", EVERY_ENTRY["mcp__install_registry"]),
    "mcp__install_package": ("mcp_admin.install_package", EVERY_ENTRY["mcp__install_package"]),
    "mcp__install_local": ("mcp_admin.install_local", EVERY_ENTRY["mcp__install_local"]),
    "mcp__list_servers": ("mcp_admin.list_servers", {}),
    "mcp__list_tools": ("mcp_admin.list_tools", {"server": "time"}),
    "mcp__call_tool": ("mcp_admin.call_mcp_tool", {"server": "time", "tool": "get_current_time", "args": NOW}),
    "mcp__drop_server": ("mcp_admin.drop_server", {"server": "units"}),
    "file__read": ("code.read_file", {"path": "notes.md"}),
    "file__write": ("code.write_file", EVERY_ENTRY["file__write"]),
    "file__edit": ("code.edit_file", EDIT),
    "file__list": ("code.list_dir", {"path": "."}),
    "file__delete": ("router.delete_file", {"path": "old.txt"}),
    "web__search": ("router.web_search", {"query": "ferry"}),
    "web__fetch": ("router.web_fetch", EVERY_ENTRY["web__fetch"]),
    "memory_entry__house_rules": ("router.read_memory_body", {"slug": "house_rules"}),
    "memory_entry__open_questions": ("router.read_memory_body", {"slug": "open_questions"}),
    "memory_operation__remember_shared": ("router.remember_shared", EVERY_ENTRY["memory_operation__remember_shared"]),
    "memory_operation__remember_agent": ("router.remember_agent", EVERY_ENTRY["memory_operation__remember_agent"]),
    "memory_operation__forget": ("router.forget", EVERY_ENTRY["memory_operation__forget"]),
    "reyn_source__read": ("router.source_read", {"path": "docs/overview.md"}),
    "reyn_source__list": ("router.source_list", {"prefix": "docs/"}),
    "rag_corpus__meetings": ("router.recall", {"sources": ["meetings"], "query": "Q3 roadmap"}),
    "rag_corpus__handbook": ("router.recall", {"sources": ["handbook"], "query": "storm"}),
    "rag_operation__recall": ("router.recall", EVERY_ENTRY["rag_operation__recall"]),
    "rag_operation__drop_source": ("router.drop_source", {"source": "drafts"}),
    "exec__run": ("router.sandboxed_exec", EVERY_ENTRY["exec__run"]),
}
"""Qualified name -> the ident of its target tool, and the args that the tool receives."""
