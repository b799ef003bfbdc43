"""Default timeouts: a tool of any kind that never returns ends its call, though no spec and no policy says when."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.execute.http.api import package_of
from toolgen.contract.records import ToolRequest
from toolgen.execute import CommandHost, HandlerModules, load_user_tools, specified_executors
from toolgen.execute.command import BOUNDS
from toolgen.execute.command import command_executor as command_executor
from toolgen.runtime import Catalog, Runtime, allow_all
from toolgen.runtime.policy import policy
from toolgen.runtime.policy.paths import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HANDLERS = """
import asyncio
from tests.unit.execute.test_default_timeouts import ENDED

async def waits(word): await asyncio.sleep(3600)
def blocks(word): ENDED.wait(60)
"""
ENDED = threading.Event()
"""Set when a test ends, so that no thread outlives it."""

_TOOL = "{description: x, permission: readonly, args: {word: string}, result: string, "
SPECS = {
    "compiled_waiting_handlers": f"toolgen: 1\ntoolset: own\ntools:\n  waits: {_TOOL}handler: waiting_app:waits}}\n"
    f"  blocks: {_TOOL}handler: waiting_app:blocks}}\n",
    "compiled_waiting_commands": "toolgen: 1\ntoolset: own\nkind: command\ntools:\n"
    f"  run: {_TOOL}command: {{exec: [sleep, '3600']}}}}\n"
    f"  line: {_TOOL.replace('readonly', 'write')}command: {{shell: sleep 3600}}}}\n",
}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    assert policy.TIMEOUT_MS == BOUNDS["timeout_ms"] == 120_000
    monkeypatch.setattr(policy, "TIMEOUT_MS", 300)
    monkeypatch.setitem(BOUNDS, "timeout_ms", 300)
    ENDED.clear()
    yield
    ENDED.set()


def ended(runtime: Runtime, tool: str) -> str:
    """Call a tool; return the code of its failure."""
    request = ToolRequest(name=tool, payload=json.dumps({"word": "w"}))

    async def call() -> Any:
        try:
            return await asyncio.wait_for(runtime.invoke(request), 30)
        finally:
            ENDED.set()  # or the loop would wait for the thread of the call

    result = asyncio.run(call())
    assert result.error is not None
    return f"{result.error.kind.value} {result.error.code}"


@pytest.mark.parametrize("tool", ["own.waits", "own.blocks"])
def test_a_handler_that_never_returns_ends_at_the_default_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "waiting_app.py").write_text(HANDLERS)
    monkeypatch.delitem(sys.modules, "waiting_app", raising=False)
    catalog = package_of(tmp_path, "compiled_waiting_handlers", SPECS["compiled_waiting_handlers"])
    modules = HandlerModules(str(tmp_path), ("waiting_app",))
    assert ended(Runtime(catalog, executors=specified_executors(catalog, modules), permission=allow_all), tool) == (
        "timeout timeout"
    )


@pytest.mark.parametrize("tool", ["own.run", "own.line"])
def test_a_command_that_never_returns_ends_at_the_default_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    catalog = package_of(tmp_path, "compiled_waiting_commands", SPECS["compiled_waiting_commands"])
    registration = command_executor(catalog, "own", CommandHost(paths=PathPolicy(tmp_path)))
    assert ended(Runtime(catalog, executors=[registration], permission=allow_all), tool) == "timeout timeout"


def test_a_tool_of_a_user_that_never_returns_ends_at_the_default_timeout(tmp_path: Path) -> None:
    (tmp_path / "home/tools").mkdir(parents=True)
    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    tool = {"name": "local.run", "description": "x", "input_schema": schema, "command": "sleep", "args": ["3600"]}
    (tmp_path / "home/tools/run.json").write_text(json.dumps(tool))
    catalog = Catalog()
    load_user_tools(catalog, tmp_path / "home", CommandHost(paths=PathPolicy(tmp_path, home=tmp_path / "home")))
    assert ended(Runtime(catalog, permission=allow_all), "local.run") == "timeout timeout"
