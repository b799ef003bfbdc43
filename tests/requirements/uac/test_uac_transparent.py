"""UAC-27: invoking an action is calling its target: requests, limits, record, changes and results are the same."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.llm import ToolUse
from toolgen.llm.tool_use import RunOps
from toolgen.providers.protocol import ModelReply
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, ToolDefinition, load
from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.policy.rate_limits import MemoryCounters
from toolgen.schema.json_values import compact_json
from toolgen.toolsets.actions import ActionTools
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.policy.permission import PermissionRequest

NOON = datetime(2026, 5, 16, 12, tzinfo=UTC)
PACKAGE = "toolgen.toolsets.generated"

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("code.write_file", {"path": "new/report.md", "content": "Done."}),
    ("code.edit_file", {"path": "new/report.md", "edits": [{"old": "Done", "new": "Begun"}]}),
    ("code.read_file", {"path": "new/report.md"}),
    ("code.write_file", {"path": "../outside.md", "content": "No."}),
    ("code.write_file", {"path": 7}),
    ("code.edit_file", {"path": "secret.md", "edits": [{"old": "a", "new": "b"}]}),
    ("lab.count", {"by": 1}),
    ("lab.count", {"by": 2}),
    ("lab.count", {"by": 3}),
    ("lab.fail", {}),
)
"""Calls that succeed (one of them outside the folder), are refused by schemas, a person and a limit, or fail."""


def numbered() -> Callable[[str], str]:
    """Return ids that are the same in every world."""
    numbers = count(1)
    return lambda what: f"{what}_{next(numbers)}"


@dataclass
class World:
    """One folder, one person who answers requests, one budget, and one record."""

    folder: Path
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    counted: list[tuple[Any, float]] = field(default_factory=list[tuple[Any, float]])

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        (self.folder / "secret.md").write_text("a", encoding="utf-8")
        catalog = load(PACKAGE)
        schema = {"type": "object", "properties": {"by": {"type": "integer"}}, "additionalProperties": False}
        limits = {"limits": {"daily_limit": 2, "cooldown_seconds": 0}}
        for name, metadata in (("lab.count", limits), ("lab.fail", {})):
            catalog.register(
                ToolDefinition(name=name, description="It.", input_schema=schema, metadata=metadata),
                getattr(self, name.partition(".")[2]),
                profile="full",
            )
        self.tool_use = ToolUse(catalog)
        self.store = MemoryStore()
        self.runtime = Runtime(
            catalog,
            executors=[CodeTools(self.folder).registration(), ActionTools(self.tool_use).registration()],
            missing=["agent", "internal"],
            permission=self.decide,
            counters=self,
            store=self.store,
            project=self.folder,
            clock=lambda: NOON,
            new_id=numbered(),
        )
        self.run = self.runtime.start_run(meta=ToolCallMeta(user="ann", session_id="s1"))
        self.ops = RunOps(self.runtime, self.run)
        self.counters = MemoryCounters()
        self.total = 0

    def count(self, args: Any) -> int:
        self.total += args.get("by", 0)
        return self.total

    def fail(self, _args: Any) -> None:
        raise OSError("the disk is gone")

    def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        waits = self.counters.take(ident, user, at, cooldown_seconds, daily_limit, call)
        self.counted.append(((ident, user), waits))
        return waits

    def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        return self.counters.wait(ident, user, at, cooldown_seconds, daily_limit, call)

    def decide(self, request: PermissionRequest) -> Decision:
        shown = re.sub(r"_[0-9a-f]{12}_", "_", str(request).replace(str(self.folder.parent), ""))  # ids of this runtime
        shown = re.sub(r" at 0x\w+", "", shown)
        self.asked.append({"tool": request.tool_name, "request": shown})
        return Decision.DENY if "secret" in str(request) else Decision.ALLOW_ONCE

    async def directly(self) -> list[ToolResult[Any]]:
        return [
            (await self.ops.call([ToolRequest(name=name, payload=compact_json(args), tool_call_id=f"m{number}")]))[0]
            for number, (name, args) in enumerate(CALLS)
        ]

    async def by_actions(self) -> list[ToolResult[Any]]:
        presentation = self.tool_use.presentation("step", self.run)
        results: list[ToolResult[Any]] = []
        for number, (name, args) in enumerate(CALLS):
            arguments = json.dumps({"action_name": name.replace(".", "__"), "args": args})
            asked = ToolRequest(name="invoke_action", payload=arguments, tool_call_id=f"m{number}")
            action = presentation.interpret(ModelReply(calls=(asked,)))
            outcome = await presentation.execute(action, self.ops)
            results += outcome.results
        return results

    async def record(self) -> list[Any]:
        run_id = self.run.meta.run_id
        assert run_id is not None
        record = await self.store.read(run_id)
        events = [(event.kind, event.tool, event.tool_call_id, self._plain(event.data)) for event in record.events]
        return [events, [self._plain(result.content) for result in record.results]]

    def files(self) -> dict[str, str]:
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_text(encoding="utf-8") for path in paths}

    def _plain(self, data: Any) -> Any:
        """Return the text without the path of the folder and without times."""
        text = json.dumps(data, default=str).replace(str(self.folder), "")
        return json.loads(
            text, object_hook=lambda found: {key: each for key, each in found.items() if key not in TIMES}
        )


TIMES = {"us", "duration_ms", "ts", "mtime", "started_at", "ended_at", "run_id", "payload_digest"}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World, list[Any], list[Any]]:
    folder = tmp_path_factory.mktemp("transparent")
    directly, by_actions = World(folder / "a/work"), World(folder / "b/work")
    return directly, by_actions, asyncio.run(directly.directly()), asyncio.run(by_actions.by_actions())


Worlds = tuple[World, World, list[Any], list[Any]]


def test_uac_27_permission_requests_are_the_same(worlds: Worlds) -> None:
    directly, by_actions, _, _ = worlds
    assert by_actions.asked == directly.asked
    assert {each["tool"] for each in directly.asked} >= {"code.write_file", "code.edit_file", "lab.count"}


def test_uac_27_limits_count_the_same(worlds: Worlds) -> None:
    directly, by_actions, _, _ = worlds
    assert [key for key, _ in by_actions.counted] == [key for key, _ in directly.counted] == [("lab.count", "ann")] * 3
    assert [waits > 0 for _, waits in by_actions.counted] == [False, False, True]
    assert by_actions.total == directly.total == 3


def test_uac_27_the_record_is_the_same(worlds: Worlds) -> None:
    directly, by_actions, _, _ = worlds
    recorded = asyncio.run(directly.record())
    assert asyncio.run(by_actions.record()) == recorded
    assert len([event for event in recorded[0] if event[0] not in ("tool_started", "tool_progress")]) == len(CALLS)


def test_uac_27_changes_in_the_workspace_are_the_same(worlds: Worlds) -> None:
    directly, by_actions, _, _ = worlds
    assert by_actions.files() == directly.files() == {"new/report.md": "Begun.", "secret.md": "a"}


def test_uac_27_results_are_the_same(worlds: Worlds) -> None:
    directly, by_actions, one, other = worlds
    kinds = [result.error and str(result.error.kind) for result in one]
    assert kinds == [
        None, None, None, None, "invalid_call", "permission_denied", None, None, "rate_limited", "internal"
    ]  # fmt: skip
    for first, second in zip(one, other, strict=True):
        assert (first.tool_name, first.tool_call_id) == (second.tool_name, second.tool_call_id)
        assert (first.error and first.error.kind) == (second.error and second.error.kind)
        assert first.payload.decode().replace(str(directly.folder), "") == second.payload.decode().replace(
            str(by_actions.folder), ""
        )
