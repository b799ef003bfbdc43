"""What every engine does: the same tests in this process, on SQLite and on Postgres."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import ANSWER, ScriptPlanner, read, request, script, search, write
from tests.unit.engine.engines import KINDS, engines_of, until
from toolgen.engine import EngineHost, RunCancelled, RunRequest
from toolgen.engine.protocol import NotAsked
from toolgen.runtime import allow_all, load
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Engines, Running


def marked(running: Running, path: str) -> bool:
    return path in running.marks()


@pytest.fixture(params=KINDS)
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Engines:
    """Return the engine of each kind in turn, here also in `make test`."""
    return engines_of(request.param, request, tmp_path)


ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
DENY = PermissionDecision(decision=Decision.DENY, reason="not today")


def test_goa_15_each_of_n_calls_is_one_activity(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read("a"), read("b"), read("c")], [read("d")], answer={"n": 4}))
        end = await running.engine.result(run_id, 300)
        assert (end.stopped, end.value, end.turns) == ("completed", {"n": 4}, 3)
        assert running.count("call") == 4
        assert sorted(running.marks()) == ["a", "b", "c", "d"]
        assert [message.role for message in end.messages] == ["user", "assistant", *["tool"] * 3, "assistant", "tool"]
        texts = {message.tool_call_id: message.content for message in end.messages if message.role == "tool"}
        for call, path in (("c00", "a"), ("c01", "b"), ("c02", "c"), ("c10", "d")):
            assert f'"content":"text of {path}"' in texts[call]
        assert (await running.engine.info(run_id)).state == "ended"

    engines.run(body)


def test_readonly_calls_of_a_turn_run_together(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read("until-all")] * 6))
        await until(lambda: len(running.marks()) == 6)
        assert (await running.engine.info(run_id)).state == "running"
        (running.folder / "all").touch()
        assert (await running.engine.result(run_id, 300)).stopped == "completed"

    engines.run(body)


def test_a_run_with_an_id_that_is_taken_starts_nothing(engines: Engines) -> None:
    async def body(running: Running) -> None:
        first = request([read("a")], answer=1, run_id="r1")
        for each in (first, request([read("b")], answer=2, run_id="r1"), first):
            assert await running.engine.start(each) == "r1"
        assert (await running.engine.result("r1", 300)).value == 1
        assert await running.engine.start(first) == "r1"
        assert running.marks() == ["a"]

    engines.run(body)


def test_a_run_waits_for_the_answer_of_a_person(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read("a"), write("b")], user="ann"))
        (asked,) = await running.questions(run_id)
        assert (asked.run_id, asked.call) == (run_id, "c01")
        assert asked.question["tool"] == "code.write_file"
        assert asked.question["summary"] == '{"content": "x", "path": "b"}'
        assert (await running.engine.info(run_id)).state == "waiting"
        assert running.marks() == ["a"]
        with pytest.raises(NotAsked):
            await running.engine.decide(run_id, "c00", ALLOW, by="ann")
        await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
        end = await running.engine.result(run_id, 300)
        assert (end.stopped, end.messages[-1].is_error) == ("completed", False)
        assert running.marks() == ["a", "b"]
        assert await running.engine.approvals(run_id) == []
        with pytest.raises(NotAsked):
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")

    engines.run(body)


def test_a_denial_ends_the_turn_and_the_model_reads_why(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a"), write("b")], [read("c")]))
        (asked,) = await running.questions(run_id)
        await running.engine.decide(run_id, asked.id, DENY, by="ann")
        end = await running.engine.result(run_id, 300)
        denied, skipped, answered = [message for message in end.messages if message.role == "tool"]
        assert denied.is_error
        assert "not today" in denied.content
        assert skipped.is_error
        assert not answered.is_error
        assert running.marks() == ["c"]

    engines.run(body)


def test_several_questions_are_asked_one_after_the_other_as_writes_run(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a"), write("b")]))
        for path in ("a", "b"):
            (asked,) = await running.questions(run_id)
            assert f'"path": "{path}"' in asked.question["summary"]
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            await until(partial(marked, running, path))
        assert (await running.engine.result(run_id, 300)).stopped == "completed"

    engines.run(body)


def test_an_answer_for_the_session_is_for_later_calls_too(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")], [write("b")], session_id="s"))
        (asked,) = await running.questions(run_id)
        await running.engine.decide(run_id, asked.id, PermissionDecision(decision=Decision.ALLOW_FOR_SESSION), by="ann")
        assert (await running.engine.result(run_id, 300)).stopped == "completed"
        assert running.marks() == ["a", "b"]

    engines.run(body)


def test_every_call_has_an_idempotency_key_of_its_own(engines: Engines) -> None:
    async def body(running: Running) -> None:
        for _ in range(2):
            await running.engine.result(await running.engine.start(request([read("a"), read("a")])), 20)
        keys = running.marks("key")
        assert len(set(keys)) == len(keys) == 4
        assert all(key.endswith((":c00", ":c01")) for key in keys)

    engines.run(body)


def test_the_calls_of_an_execution_have_one_fencing_token_and_those_of_the_next_a_greater_one(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        run_id = await engine.start(request([read("a"), read("b")], [read("slow-60")]))
        await until(lambda: len(running.marks()) == 3)
        await engine.cancel(run_id)
        await until(lambda: not running.host.at_a_time)
        await engine.resume(run_id)
        await until(lambda: len(running.marks()) == 4)
        first, same, third, later = running.marks("token")
        assert first == same == third < later
        await engine.cancel(run_id)

    durable.run(body)


def test_a_read_that_failed_is_made_again_and_has_the_same_key(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read("down")]))
        await until(running.marks)
        (running.folder / "up").touch()
        end = await running.engine.result(run_id, 300)
        assert not end.messages[-1].is_error
        assert len(set(running.marks("key"))) == 1
        assert len(running.marks()) == 2

    engines.run(body)


@pytest.mark.parametrize("call", [read("down"), write("down")], ids=["a read", "a write"])
@pytest.mark.variants(2)
def test_a_call_that_keeps_failing_is_an_error_for_the_model(
    engines: Engines, call: tuple[str, dict[str, str]]
) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([call]))
        if call[0] == "code.write_file":
            (asked,) = await running.questions(run_id)
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
        end = await running.engine.result(run_id, 300)
        assert end.stopped == "completed"
        assert end.messages[-1].is_error
        assert len(running.marks()) == (3 if call[0] == "code.read_file" else 1)

    engines.run(body)


def test_a_planner_that_keeps_failing_ends_the_run(engines: Engines) -> None:
    class Failing:
        plans = 0

        async def plan(self, *_: object) -> None:
            self.plans += 1
            raise RuntimeError("no model")

    planner = Failing()

    async def body(running: Running) -> None:
        end = await running.engine.result(await running.engine.start(request()), 20)
        assert (end.stopped, end.reason, planner.plans) == ("failed", "RuntimeError: no model", 3)

    engines.run(body, change=lambda host: host.planners.update(default=planner))


def test_a_run_without_an_agent_has_all_tools(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(RunRequest(messages=script([read("a")], [search()], answer=1)))
        end = await running.engine.result(run_id, 300)
        assert (end.stopped, end.value) == ("completed", 1)
        assert not [message for message in end.messages if message.is_error]

    engines.run(body)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"planner": "other"}, "this host has no planner 'other'; it has default"),
        ({"agent": "nobody"}, "there is no agent 'nobody'"),
        ({"mode": "careful"}, "no active policy has a mode 'careful'"),
    ],
    ids=["planner", "agent", "mode"],
)
@pytest.mark.variants(3)
def test_a_run_that_no_host_can_execute_ends_with_a_reason(
    engines: Engines, fields: dict[str, str], reason: str
) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(RunRequest.from_json("r1", {"agent": "main", "messages": [], **fields}))
        end = await running.engine.result(run_id, 300)
        assert end.stopped == "failed"
        assert reason in end.reason

    engines.run(body)


def test_a_run_without_an_answer_ends_after_its_turns(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read()], [read()], [read()], max_turns=2))
        end = await running.engine.result(run_id, 300)
        assert (end.stopped, end.turns, end.value) == ("max_turns", 2, None)

    engines.run(body)


def test_cancelling_a_run_cancels_the_call_that_it_makes(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([read("slow-60")], [read("later")]))
        await until(running.marks)
        await running.engine.cancel(run_id)
        with pytest.raises(RunCancelled):
            await running.engine.result(run_id, 300)
        assert (await running.engine.info(run_id)).state == "cancelled"
        assert running.marks() == ["slow-60"]

    engines.run(body)


def test_a_run_whose_time_is_up_is_cancelled(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")], timeout=0.5))
        with pytest.raises(RunCancelled):
            await running.engine.result(run_id, 300)
        assert running.marks() == []

    engines.run(body)


def test_goa_19_the_call_of_an_inline_toolset_is_no_call_activity(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([search(), read("a")]))
        assert (await running.engine.result(run_id, 300)).stopped == "completed"
        assert running.count("call") == 1
        assert running.count("inline") == 1

    engines.run(body)


def test_goa_20_an_agent_that_a_call_starts_is_a_run_of_its_own(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([search()], user="ann"))
        end = await running.engine.result(run_id, 300)
        assert end.messages[-1].content.startswith('{"answer":"yes"')
        (child,) = {run for name, run in running.host.runs_seen if run != run_id}
        info = await running.engine.info(child)
        assert (info.state, info.agent, info.user) == ("ended", "orchestrator.researcher", "ann")
        assert info.parent_run_id == run_id
        assert (await running.engine.result(child)).value == ANSWER

    engines.run(body)


def test_a_cancelled_run_cancels_the_agents_that_its_calls_started(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([search([("router.web_search", {"query": "slow-60"})])]))
        await until(lambda: len({run for _, run in running.host.runs_seen}) == 2)
        (child,) = {run for _, run in running.host.runs_seen if run != run_id}
        await running.engine.cancel(run_id)
        with pytest.raises(RunCancelled):
            await running.engine.result(child, 300)

    engines.run(body)


def test_an_unknown_run_is_not_found(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for attempt in (
            engine.result("nowhere"),
            engine.cancel("nowhere"),
            engine.info("nowhere"),
            engine.approvals("nowhere"),
            engine.decide("nowhere", "c", ALLOW, by="ann"),
        ):
            with pytest.raises(RunNotFound):
                await attempt

    engines.run(body)


def test_waiting_for_a_result_can_end_before_the_run(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        with pytest.raises(TimeoutError, match=f"{run_id} has not ended in 0.2 seconds"):
            await running.engine.result(run_id, 0.2)
        (asked,) = await running.questions(run_id)
        await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
        assert (await running.engine.result(run_id, 300)).stopped == "completed"

    engines.run(body)


def test_a_runtime_of_an_engine_asks_through_its_runs() -> None:
    from toolgen.runtime import Runtime

    catalog = load("generated")
    runtime = Runtime(catalog, permission=allow_all, missing=catalog.toolsets)
    with pytest.raises(TypeError, match="needs `permission=ask_before_call`"):
        EngineHost(runtime, ScriptPlanner())
