"""Locks: one that another thread holds while the process forks must not hold up the child for ever."""

from __future__ import annotations

import ast

import pytest

from tests.project.checkout import ROOT, sources

_KINDS = {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Barrier"}

_OF_ONE_PROCESS = {
    "toolgen/authoring/language_server/workspace.py": "the server of an editor",
    "toolgen/engine/dbos/endpoints.py": "a worker of DBOS, whose threads and connections no child could use",
    "toolgen/engine/dbos/reports.py": "a worker of DBOS",
    "toolgen/record/writing.py": "the store of SQLite, which a child is refused",
    "toolgen/runtime/base/effects.py": "one call in a thread, which a child does not have",
}
"""Modules whose locks no child uses, and why."""


def _kept_by_children(text: str) -> list[str]:
    """Return the locks of threads that are made outside of classes and functions that are told of forks."""
    if "threading" not in text:
        return []
    tree = ast.parse(text)
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "threading"
        for alias in node.names
        if alias.name in _KINDS
    } | {f"threading.{kind}" for kind in _KINDS}

    def is_lock(node: ast.AST) -> bool:
        if isinstance(node, ast.keyword):  # dataclasses.field(default_factory=Lock)
            return ast.unparse(node.value) in names
        return isinstance(node, ast.Call) and ast.unparse(node.func) in names

    def is_told(statement: ast.stmt) -> bool:
        return any(isinstance(node, ast.Call) and ast.unparse(node.func) == "at_fork" for node in ast.walk(statement))

    return [
        f"{node.lineno}"
        for statement in tree.body
        if not is_told(statement)
        for node in ast.walk(statement)
        if is_lock(node) and isinstance(node, ast.Call | ast.keyword)
    ]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("from threading import Lock\nlock = Lock()", True),
        ("import threading\nclass A:\n    def __init__(self):\n        self._lock = threading.RLock()", True),
        ("from threading import Lock\nclass A:\n    lock: Lock = field(default_factory=Lock)", True),
        ("from threading import Lock as L\nclass A:\n    def __init__(self):\n        self.lock = L()", True),
        (
            "from threading import Lock\nclass A:\n    def f(self):\n        at_fork(before=f)\n        a = Lock()",
            False,
        ),
        ("from asyncio import Lock\nlock = Lock()", False),
        ("lock = ForkSafeLock()", False),
    ],
)
def test_locks_that_children_would_keep_are_found(text: str, is_found: bool) -> None:
    assert bool(_kept_by_children(text)) is is_found


def test_no_child_keeps_a_lock_that_a_thread_of_its_parent_holds() -> None:
    found = {
        file.relative_to(ROOT).as_posix(): lines
        for file in sources("toolgen")
        if (lines := _kept_by_children(file.read_text(encoding="utf-8")))
    }
    assert found.keys() == _OF_ONE_PROCESS.keys(), found
