"""Single calls by every engine: each is a run of its own, made once for each key."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines, until
from tests.unit.runtime.endings import IN_OWN_TASKS
from toolgen.agents import Message
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.engine import RunRequest
from toolgen.engine.body import Retries
from toolgen.engine.calls import call_by_engine, call_request, next_event, run_by_workers
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.protocol import AlreadyAnswered, Approval
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
DENY = PermissionDecision(decision=Decision.DENY, reason="not today")
ANN = ToolCallMeta(user="ann")


def one(made: tuple[str, Any], call_id: str = "") -> ToolRequest:
    return ToolRequest(name=made[0], payload=compact_json(made[1]), tool_call_id=call_id)


def test_a_call_is_a_run_that_asks_no_planner(engines: Engines) -> None:
    async def body(running: Running) -> None:
        result = await call_by_engine(running.engine, one(read("a"), "c1"), ANN)
        assert (result.success, result.tool_name) == (True, "code.read_file")
        assert result.value is not None
        assert result.value["content"] == "text of a"
        assert b'"text of a"' in result.payload
        assert running.marks("path, user") == [("a", "ann")]
        assert [name for name, _ in running.host.activities] == ["plan", "call"]
        assert plans(running) == 0

    engines.run(body)


def test_a_repeated_call_id_runs_once_for_each_user_and_each_call(engines: Engines) -> None:
    async def body(running: Running) -> None:
        same = [call_by_engine(running.engine, one(read("a"), "c1"), ANN) for _ in range(3)]
        assert len({result.payload for result in await asyncio.gather(*same)}) == 1
        assert running.marks() == ["a"]
        await call_by_engine(running.engine, one(read("a"), "c1"), ToolCallMeta(user="bo"))
        await call_by_engine(running.engine, one(read("b"), "c1"), ANN)
        await call_by_engine(running.engine, one(read("a"), "other"), ANN.with_fields(idempotency_key="c1"))
        assert running.marks() == ["a", "a", "b"]
        for _ in range(2):
            await call_by_engine(running.engine, one(read("c")), ANN)  # without a key
        assert running.marks() == ["a", "a", "b", "c", "c"]

    engines.run(body)


def test_a_failed_call_has_the_whole_error(engines: Engines) -> None:
    async def body(running: Running) -> None:
        result = await call_by_engine(running.engine, one(("code.read_file", {"pth": "a"})))
        assert result.error is not None
        assert result.error.kind is FailureKind.INVALID_CALL
        assert {issue.pointer for issue in result.error.issues} == {"/path", "/pth"}
        assert result.error.example
        gone = await call_by_engine(running.engine, one(("code.no_such_tool", {})))
        assert gone.error is not None
        assert gone.error.kind is FailureKind.TOOL_NOT_AVAILABLE
        stranger = await call_by_engine(running.engine, one(read("a")), agent="nobody")
        assert stranger.error is not None
        assert stranger.error.kind is FailureKind.UNAVAILABLE
        assert "nobody" in stranger.error.message

    engines.run(body)


@pytest.mark.variants(1)
def test_a_tool_that_would_end_its_caller_has_failed(engines: Engines) -> None:
    """Whatever ends its step, a run has an outcome of it, and the worker goes on."""

    async def body(running: Running) -> None:
        made = [
            call_by_engine(running.engine, one(read(f"ends-{how}"), f"c{at}")) for at, how in enumerate(IN_OWN_TASKS)
        ]
        results = await asyncio.gather(*made)
        codes = {how: result.error and result.error.code for how, result in zip(IN_OWN_TASKS, results, strict=True)}
        assert set(codes.values()) <= {"cancelled", "handler_error"}, codes
        assert (await call_by_engine(running.engine, one(read("a")))).success

    engines.run(body)


@pytest.mark.variants(1)
def test_a_planner_that_would_end_its_run_fails_it(engines: Engines) -> None:
    async def body(running: Running) -> None:
        for how, ending in IN_OWN_TASKS.items():
            planner: Any = running.host.planners["default"]
            planner.plan = lambda *_, ending=ending: ending()
            run_id = await running.engine.start(request([read("a")]))
            assert (await running.engine.result(run_id)).stopped == "failed", how

    engines.run(body, retries=Retries(attempts=1, planner_seconds=0))


@pytest.mark.parametrize("decision", [ALLOW, DENY], ids=["allowed", "denied"])
def test_what_a_call_asks_is_answered_once(engines: Engines, decision: PermissionDecision) -> None:
    async def body(running: Running) -> None:
        asked: list[Approval] = []

        async def ask(approval: Approval) -> PermissionDecision:
            asked.append(approval)
            await asyncio.sleep(0)
            return decision

        result = await call_by_engine(running.engine, one(write("a")), ask=ask)
        assert len(asked) == 1
        assert asked[0].question["tool"] == "code.write_file"
        assert running.marks() == (["a"] if decision is ALLOW else [])
        if decision is DENY:
            assert result.error is not None
            assert (result.error.kind, "not today" in result.error.message) == (FailureKind.PERMISSION_DENIED, True)

    engines.run(body)


def test_a_call_that_nobody_is_asked_about_waits_for_an_answer_to_its_run(engines: Engines) -> None:
    async def body(running: Running) -> None:
        made = call_request(one(write("a"), "c1"))
        waiting = asyncio.create_task(call_by_engine(running.engine, one(write("a"), "c1")))
        (asked,) = await until(lambda: running.engine.approvals(made.run_id) if made.run_id in started(running) else [])
        assert await next_event(running.engine, made.run_id, known={asked.id}, seconds=0.2) is None
        await running.engine.decide(made.run_id, asked.id, ALLOW, by="ann")
        assert (await waiting).success

    engines.run(body)


def plans(running: Running) -> int:
    planner: Any = running.host.planners["default"]
    asked: int = planner.plans
    return asked


def started(running: Running) -> set[str]:
    return {run_id for _, run_id in running.host.runs_seen}


def test_a_cancelled_call_has_a_result(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(call_request(one(write("a"))))
        asked = await next_event(running.engine, run_id)
        assert isinstance(asked, Approval)
        await running.engine.cancel(run_id)
        result = await next_event(running.engine, run_id)
        assert isinstance(result, ToolResult)
        assert result.error is not None
        assert (result.error.kind, result.error.code) == (FailureKind.ABORTED, "run_cancelled")

    engines.run(body)


def test_calls_that_a_run_begins_with_are_made_before_its_planner_is_asked(engines: Engines) -> None:
    async def body(running: Running) -> None:
        begun = request([read("a")], answer=3)
        first = Message(role="assistant", calls=(one(read("a"), "x"),))
        ordinary = RunRequest(agent="main", messages=(*begun.messages, first), run_id="r")
        await running.engine.start(ordinary)
        end = await running.engine.result("r", 300)
        assert (end.stopped, end.value, end.turns) == ("completed", 3, 2)
        assert [message.role for message in end.messages] == ["user", "assistant", "tool"]
        assert plans(running) == 1

    engines.run(body)


def test_all_results_of_several_calls_are_kept_in_order_and_skipped_ones_too(engines: Engines) -> None:
    async def body(running: Running) -> None:
        calls = (one(read("a"), "1"), one(write("b"), "2"), one(write("c"), "3"))
        messages = (Message(role="assistant", calls=calls),)
        await running.engine.start(RunRequest(agent="main", messages=messages, planner="", run_id="r"))
        (asked,) = await running.questions("r")
        await running.engine.decide("r", asked.id, DENY, by="ann")
        end = await running.engine.result("r", 300)
        kinds = [each.get("error", {}).get("kind") for each in end.value]
        assert kinds == [None, "permission_denied", "skipped"]

    engines.run(body)


def test_the_outcomes_of_ordinary_runs_have_no_whole_results(engines: Engines) -> None:
    async def body(running: Running) -> None:
        outcomes: list[Any] = []
        execute = running.host.execute

        async def noted(*args: Any) -> Any:
            outcomes.append(await execute(*args))
            return outcomes[-1]

        running.host.execute = noted  # type: ignore[method-assign]  # what an engine calls
        await running.engine.start(request([read("a")], run_id="r"))
        await running.engine.result("r", 300)
        assert len(outcomes) == 3
        assert not any("result" in outcome for outcome in outcomes)

    engines.run(body)


@pytest.mark.parametrize("messages", [(), (Message(role="user", content="x"),)], ids=["none", "no calls"])
def test_a_run_without_a_planner_needs_calls(messages: tuple[Message, ...]) -> None:
    with pytest.raises(ValueError, match="a run without a planner needs messages that end with the calls to make"):
        RunRequest(agent="main", messages=messages, planner="")


def test_a_request_without_a_planner_is_the_same_after_a_database() -> None:
    made = call_request(one(read("a"), "c1"), ANN, agent="main", mode="m")
    assert RunRequest.from_json(made.run_id, made.as_json()) == made


def test_a_process_without_workers_runs_no_tool() -> None:
    catalog = load("generated")
    runtime = Runtime(catalog, executors=run_by_workers(catalog), permission=allow_all)
    result = asyncio.run(runtime.invoke(one(read("a"))))
    assert result.error is not None
    assert (result.error.code, result.error.kind) == ("run_by_workers", FailureKind.UNAVAILABLE)


def test_a_second_answer_to_a_question_is_not_kept_for_a_later_one(tmp_path: Path) -> None:
    async def body() -> None:
        database = tmp_path / "runs.sqlite"
        engines = Engines("sqlite", str(database), tmp_path)
        async with engines.opened() as running:
            run_id = await running.engine.start(call_request(one(write("a"))))
            (asked,) = await running.questions(run_id)
        engine = DbosEngine(engines.url)  # no worker takes the answers
        await engine.decide(run_id, asked.id, ALLOW, by="ann")
        with pytest.raises(AlreadyAnswered):
            await engine.decide(run_id, asked.id, DENY, by="bob")
        await engine.close()
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT count(*) FROM notifications").fetchone() == (1,)
        async with engines.opened() as running:
            result = await next_event(running.engine, run_id, known={asked.id})
            assert isinstance(result, ToolResult)
            assert result.success

    asyncio.run(body())
