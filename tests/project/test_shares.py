"""Threads of the explorer: one place starts work in them, where the visitors share it."""

from __future__ import annotations

import ast

import pytest

from tests.project.checkout import ROOT, sources

_STARTING = {"to_thread", "run_in_executor", "ThreadPoolExecutor", "Thread", "start_new_thread", "run_sync"}

_IN_SHARES = {
    "toolgen/explore/aside.py": "takes the places that visitors share",
    "toolgen/explore/records.py": "reads a store, one page at a time",
    "toolgen/explore/project_process.py": "runs for the person at this machine alone, one process at a time",
}
"""Modules that start work in threads, and why visitors do not hold up others by it."""


def _starts(text: str) -> list[str]:
    """Return the names in a module by which work is started in threads, with their lines."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        name = getattr(node, "attr", None) or getattr(node, "id", None)
        found += [f"{getattr(node, 'lineno', 0)}: {each}" for each in (*names, name) if each in _STARTING]
    return found


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("import asyncio\nasync def f(): await asyncio.to_thread(print)", True),
        ("from asyncio import to_thread as aside", True),
        ("async def f(loop): await loop.run_in_executor(None, print)", True),
        ("from concurrent.futures import ThreadPoolExecutor", True),
        ("import threading\nthreading.Thread(target=print).start()", True),
        ("from anyio.to_thread import run_sync", True),
        ("async def f(visit): await visit.aside(print)", False),
    ],
)
def test_work_in_threads_is_found(text: str, is_found: bool) -> None:
    assert bool(_starts(text)) is is_found


def test_no_screen_starts_work_in_threads_but_by_the_places_that_visitors_share() -> None:
    started = {
        path.relative_to(ROOT).as_posix(): _starts(path.read_text(encoding="utf-8"))
        for path in sources("toolgen/explore")
    }
    assert len(started) > 20
    found = {path: lines for path, lines in started.items() if lines}
    assert {path: lines for path, lines in found.items() if path not in _IN_SHARES} == {}, "use `visit.aside`"
    assert found.keys() == _IN_SHARES.keys()
