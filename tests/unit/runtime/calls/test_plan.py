"""Every subset of stages makes a plan, and its calls match a naive reading of the table of stages."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.runtime.tools import catalog_of, runtime_of
from toolgen.contract.records import Bounds, ToolCallMeta, ToolRequest, ToolResult
from toolgen.record.calls import calls_of
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, ToolDefinition
from toolgen.runtime.calls import plan
from toolgen.runtime.calls.call import Denial, GateDecision
from toolgen.runtime.calls.plan import AFTER
from toolgen.runtime.policy.permission import Decision, allow_all

if TYPE_CHECKING:
    from toolgen.runtime.events.records import RunRecord

REFUSALS: Final = {
    "limits": ("rate_limited", "tool_failed"),
    "hooks": ("hook_denied", "tool_denied"),
    "permission": ("permission_denied", "tool_denied"),
    "gate": ("gate_refused", "tool_denied"),
    "execute": ("handler_error", "tool_failed"),
}
"""The code of the result and the kind of the event, by the stage that ends a call."""

BEFORE: Final = ("limits", "hooks", "permission", "gate", "children")
"""The stages before a handler, in order; a call refused by one does not reach the later ones."""

CHOICES: Final = (*BEFORE, *(name for name in AFTER if name != "post_hooks"))
"""Optional stages of a tool; the hooks after a call come with those before it."""

WORD: Final = "kangaroo-7781"
VALUE: Final = {"rows": ["a", "b"], "next_after": "b"}
BOUNDS: Final = Bounds(returned=2, truncated=True, next_cursor="b")
NOTE: Final = '[2 shown; for more call again with after = "b"]'


@dataclass(frozen=True)
class Case:
    """One call: the stages of its tool, where it ends, and how it is made."""

    stages: frozenset[str]
    ended_at: str
    is_recorded: bool
    by_wire_name: bool
    in_run: bool

    @property
    def ends_early(self) -> bool:
        return self.ended_at == "execute" or self.ended_at in self.stages


class World:
    """The code of the host, which records its invocations."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.log: list[str] = []
        self.store = MemoryStore()

    def catalog(self) -> Catalog:
        has = self.case.stages.__contains__
        limits = {**({"cooldown_seconds": 5} if has("limits") else {}), "result_bytes": 10 if has("size") else 0}
        metadata: dict[str, Any] = {
            "limits": limits,
            "gate": has("gate"),
            **({"bounded": {"cursor": "after", "next": "next_after"}} if has("bounds") else {}),
            **({"hints": {"call": "it was called"}} if has("hints") else {}),
            **({"reminder": "remember"} if has("reminder") else {}),
        }
        word = {"type": "string", **({"writeOnly": True} if has("hide") else {})}
        catalog = Catalog()
        definition = ToolDefinition(
            name="own.tool",
            description="x",
            input_schema={"type": "object", "properties": {"word": word}},
            tags=frozenset({"agent"} if has("children") else ()),
            metadata=metadata,
        )
        catalog.register(definition, self.handler)
        return catalog

    def handler(self, _args: Any) -> ToolResult[Any]:
        self.log.append("execute")
        if self.case.ended_at == "execute":
            raise RuntimeError("no luck")
        return ToolResult(value=VALUE, message=f"heard {WORD}" if "hide" in self.case.stages else None)

    def take(self, *_attempt: Any) -> float:
        self.log.append("limits")
        return 5.0 if self.case.ended_at == "limits" else 0

    wait = take

    def ask(self, _request: Any) -> Decision:
        self.log.append("permission")
        return Decision.DENY if self.case.ended_at == "permission" else Decision.ALLOW_ONCE

    def gate(self, _call: Any) -> GateDecision:
        self.log.append("gate")
        return GateDecision(approved=self.case.ended_at != "gate")

    def pre_tool_use(self, _call: Any) -> Denial | None:
        self.log.append("hooks")
        return Denial("no") if self.case.ended_at == "hooks" else None

    def post_tool_use(self, _call: Any, result: ToolResult[Any]) -> None:
        self.log.append("post_hooks")
        assert ("raw_tool_name" in result.metadata) is self.case.by_wire_name

    async def call(self) -> ToolResult[Any]:
        has = self.case.stages.__contains__
        runtime = runtime_of(
            self.catalog(),
            counters=self,
            permission=self.ask if has("permission") else allow_all,
            gate=self.gate if has("gate") else None,
            hooks=[self] if has("hooks") else [],
            store=self.store if self.case.is_recorded else None,
        )
        meta = ToolCallMeta(user="ann", run_id="r1")
        run = runtime.start_run(meta=meta) if self.case.in_run else None
        name = "own__tool" if self.case.by_wire_name else "own.tool"
        request = ToolRequest(name=name, payload=json.dumps({"word": WORD}), tool_call_id="c")
        first = await runtime.invoke(request, meta=meta, run=run)
        assert asyncio.current_task() not in (run.progress.running if run else ())
        return first


def check(case: Case) -> None:
    world = World(case)

    async def whole() -> tuple[ToolResult[Any], RunRecord | None]:
        result = await world.call()
        return result, await world.store.read("r1") if case.is_recorded else None

    result, record = asyncio.run(whole())
    before = [name for name in BEFORE if name in case.stages]
    reached = [*before, "execute"]
    if case.ends_early:
        reached = reached[: reached.index(case.ended_at) + 1]
    was_started = reached[-1] == "execute"
    after = ["post_hooks"] if "hooks" in case.stages and was_started else []
    assert world.log == [name for name in (*reached, *after) if name != "children"]
    check_result(case, result)
    if record is not None:
        check_record(case, record, [*reached[:-1], "record", "execute"] if was_started else reached, after)


def check_result(case: Case, result: ToolResult[Any]) -> None:
    raw = {"raw_tool_name": "own__tool"} if case.by_wire_name else {}
    assert (result.tool_name, result.tool_call_id) == ("own.tool", "c")
    if case.ends_early:
        assert result.error is not None
        assert (result.error.code, dict(result.metadata)) == (REFUSALS[case.ended_at][0], raw)
        return
    has = case.stages.__contains__
    assert (result.error, result.value, json.loads(result.payload)) == (None, VALUE, VALUE)
    assert result.bounds == (BOUNDS if has("bounds") else None)
    assert result.message == ("heard [redacted]" if has("hide") else None)
    hints = {"hints": {"call": "it was called"}} if has("hints") else {}
    cut = {"truncated": True} if has("size") else {}
    assert dict(result.metadata) == {**hints, **cut, **raw}
    shown = [block.data for block in result.content]
    if has("size") and not has("bounds") and not has("reminder"):  # a note is shown beside other text
        assert str(shown[0]).startswith('{"rows":["\n[cut: ')
    else:
        assert shown == [VALUE, *([NOTE] if has("bounds") else []), *(["remember"] if has("reminder") else [])]


def check_record(case: Case, record: RunRecord, reached: list[str], after: list[str]) -> None:
    (call,) = calls_of(record)
    decisions = {"permission": "allow_once"} if "permission" in case.stages else {}
    names = ["decode", *reached, *([] if case.ends_early else ["encode"]), *after]
    if case.ends_early:
        decisions[case.ended_at] = REFUSALS[case.ended_at][0]
    expected = [(name, decisions.get(name, "")) for name in names]
    assert [(stage.stage, stage.decision) for stage in call.stages] == expected
    end = REFUSALS[case.ended_at][1] if case.ends_early else "tool_completed"
    assert [event.kind for event in record.events] == [*(["tool_started"] if "execute" in reached else []), end]
    (first, *_), (stored,) = record.events, record.results
    assert first.data["args"] == {"word": "[redacted]" if "hide" in case.stages else WORD}
    assert stored.content.get("metadata", {}).get("raw_tool_name") == ("own__tool" if case.by_wire_name else None)
    assert (stored.success, stored.content.get("error", {}).get("code")) == (
        not case.ends_early,
        REFUSALS[case.ended_at][0] if case.ends_early else None,
    )


CASES = st.builds(
    Case,
    stages=st.frozensets(st.sampled_from(CHOICES)),
    ended_at=st.sampled_from(["", *REFUSALS]),
    is_recorded=st.booleans(),
    by_wire_name=st.booleans(),
    in_run=st.booleans(),
)


def test_the_stages_before_a_handler_are_those_of_the_plan() -> None:
    assert tuple(plan.BEFORE) == BEFORE


@settings(deadline=None)
@given(CASES)
def test_a_plan_is_determined_by_its_stages(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("ended_at", ["", *REFUSALS])
def test_a_plan_with_every_stage_and_one_with_none(ended_at: str) -> None:
    for stages in (CHOICES, ()):
        for is_recorded, by_wire_name, in_run in product((False, True), repeat=3):
            check(Case(frozenset(stages), ended_at, is_recorded, by_wire_name, in_run))


@pytest.mark.long
@pytest.mark.parametrize("ended_at", ["", *REFUSALS])
def test_every_subset_of_stages(ended_at: str) -> None:
    for number, chosen in enumerate(product((False, True), repeat=len(CHOICES))):
        stages = frozenset(name for name, is_there in zip(CHOICES, chosen, strict=True) if is_there)
        check(Case(stages, ended_at, bool(number % 2), number % 3 == 0, number % 5 == 0))


def test_the_result_is_recorded_if_a_later_hook_ends_the_caller() -> None:
    class InterruptingHook:
        def pre_tool_use(self, _call: Any) -> None:
            return None

        def post_tool_use(self, _call: Any, _result: Any) -> None:
            signal.raise_signal(signal.SIGUSR1)

    def on_signal(_number: int, _frame: object) -> None:
        raise SystemExit

    async def whole() -> list[str]:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(), hooks=[InterruptingHook()], store=store)
        with pytest.raises(SystemExit):
            await runtime.invoke(ToolRequest(name="own.tool"), meta=ToolCallMeta(user="ann", run_id="r1"))
        return [event.kind for event in (await store.read("r1")).events]

    before = signal.signal(signal.SIGUSR1, on_signal)
    try:
        assert asyncio.run(whole()) == ["tool_started", "tool_completed"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_memory_store_keeps_no_gc_tracked_objects_of_a_plain_call() -> None:
    async def whole() -> MemoryStore:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(), store=store)
        for name in ("own.tool", "own__tool"):
            assert (await runtime.invoke(ToolRequest(name=name), meta=ToolCallMeta(user="ann"))).success
        return store

    rows = vars(asyncio.run(whole()))["_rows"]
    assert [row[3] for row in rows] == [None] * 4  # encoded when they are read, which costs more than a call
    for _ in ("the names of the stages", "the row with these"):
        gc.collect()  # only then are tuples of texts and numbers untracked
    assert [gc.is_tracked(row) for row in rows] == [False] * 4
