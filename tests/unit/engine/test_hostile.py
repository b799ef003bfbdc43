"""What planners, requests and hosts get wrong, on every engine: the run says what, and no engine stops for it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines, until
from toolgen.agents import Message, PlannedCalls, RunOutcome
from toolgen.contract.records import Issue, MalformedRequest, ToolRequest
from toolgen.engine import RunRequest
from toolgen.engine.local import ENDED_RUNS
from toolgen.engine.protocol import NotAsked
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.unit.engine.engines import CountingHost, Running
    from toolgen.engine import RunEnd

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
READ = '{"path": "a"}'


class Plans:
    """Returns one plan in each turn, then an outcome."""

    def __init__(self, *plans: Any) -> None:
        self._plans = plans

    async def plan(self, messages: Sequence[Message], *_: object) -> Any:
        turn = sum(message.role == "assistant" for message in messages)
        return self._plans[turn] if turn < len(self._plans) else RunOutcome(value="done")


def calls(*requests: Any, **fields: Any) -> PlannedCalls:
    return PlannedCalls(message=Message(role="assistant", calls=requests, **fields))


def call(call_id: Any = "", payload: Any = READ, name: Any = "code.read_file") -> ToolRequest:
    return ToolRequest(name=name, payload=payload, tool_call_id=call_id)


def planned_by(*plans: Any) -> Callable[[CountingHost], None]:
    def change(host: CountingHost) -> None:
        vars(host)["planners"] = {"default": Plans(*plans)}

    return change


def ends(engines: Engines, *plans: Any, look: Callable[[Running, RunEnd], None]) -> None:
    """Run an agent with such a planner, and look at its end."""

    async def body(running: Running) -> None:
        request_ = RunRequest(agent="main", messages=(Message(role="user", content="go"),))
        look(running, await running.engine.result(await running.engine.start(request_), 300))

    engines.run(body, change=planned_by(*plans))


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (None, "the planner returned a NoneType; it must return Calls with a Message, or an Outcome"),
        (PlannedCalls(message="hello"), "the planner returned Calls with a str; it must"),  # type: ignore[arg-type]  # wrong on purpose
        (calls(call(None)), "whose call 0 has a NoneType as its tool_call_id"),
        (calls(call(), call(payload={})), "whose call 1 has a dict as its payload"),
        (calls(call(name=None)), "whose call 0 has a NoneType as its name"),
        (calls("read"), "whose call 0 has a NoneType as its name"),
        (calls(call(), response={"raw": object()}), "the message of the planner is not JSON: Object of type object"),
        (RunOutcome(value=1, telemetry=None), "the planner returned a NoneType as telemetry; it must be a mapping"),  # type: ignore[arg-type]  # wrong on purpose
        (RunOutcome(value=float("nan")), "the outcome of the planner is not JSON"),
        (RunOutcome(value="\ud800"), "the outcome of the planner is not JSON"),
        (RunOutcome(value=1, telemetry={"cost": object()}), "the telemetry of the planner is not JSON"),
        (RunOutcome(value=1, telemetry={"cost": 10**5000}), "the telemetry of the planner is not JSON"),
    ],
    ids=[
        "none",
        "text",
        "id",
        "payload",
        "name",
        "call",
        "response",
        "no telemetry",
        "nan",
        "surrogate",
        "telemetry",
        "huge number",
    ],
)
@pytest.mark.variants(8)
def test_a_planner_that_returns_no_plan_ends_the_run_with_a_reason(engines: Engines, plan: Any, reason: str) -> None:
    def look(_running: Running, end: RunEnd) -> None:
        assert end.stopped == "failed"
        assert reason in end.reason

    ends(engines, plan, look=look)


def test_ids_of_calls_can_be_anything_and_each_call_has_a_key_of_its_own(engines: Engines) -> None:
    ids = ["", "", "c", "c", "c~0.3", "x" * 100_000, "a/b%2F?", "nul\0", "half \ud800", "\n", "ü"]

    def look(running: Running, end: RunEnd) -> None:
        assert end.stopped == "completed", end.reason
        keys = [key.rsplit(":", 1)[1] for key in running.marks("key")]
        assert len(set(keys)) == len(ids)
        assert all(len(key) < 20 and key.isascii() and "/" not in key for key in keys)
        answers = [message.tool_call_id for message in end.messages if message.role == "tool"]
        assert answers[2:] == ids[2:]
        assert all(answers[:2])

    ends(engines, calls(*map(call, ids)), look=look)


def test_payloads_can_be_anything(engines: Engines) -> None:
    payloads = [b"\xff\xfe", "", "no json", "[" * 100_000, '{"path": "\ud800"}', '{"path": "\0"}', "null", "1e999"]

    def look(running: Running, end: RunEnd) -> None:
        assert end.stopped == "completed", end.reason
        assert [message.is_error for message in end.messages if message.role == "tool"] == [True] * len(payloads)
        assert running.marks() == []

    ends(engines, calls(*(call(f"c{place}", payload) for place, payload in enumerate(payloads))), look=look)


def test_a_call_that_cannot_be_read_is_answered_with_what_is_wrong(engines: Engines) -> None:
    issues = (Issue(pointer="/path", keyword="json", expected="args", found="others", hint="send others"),)
    malformed = MalformedRequest(tool="code.read_file", issues=issues, payload=READ, tool_call_id="c1")

    def look(running: Running, end: RunEnd) -> None:
        assert end.stopped == "completed", end.reason
        (answer, read) = (message for message in end.messages if message.role == "tool")
        assert "/path: send others (found others)" in answer.content
        assert not read.is_error
        assert len(set(running.marks("key"))) == 1

    ends(engines, calls(malformed, call("c2")), look=look)


@pytest.mark.variants(1)
def test_a_conversation_can_be_long_and_a_turn_can_have_many_calls(engines: Engines) -> None:
    def look(running: Running, end: RunEnd) -> None:
        assert end.stopped == "completed", end.reason
        # A worker that a busy machine starves takes its run up again, and makes a call again with the same key.
        assert len(set(running.marks("key"))) == 120
        assert [message.tool_call_id for message in end.messages if message.role == "tool"] == [
            f"c{number}" for number in range(120)
        ]
        assert len(end.messages[1].content) == 2_000_000

    many = [call(f"c{number}") for number in range(120)]
    ends(engines, calls(*many, content="\0\ud800" * 1_000_000), look=look)


@pytest.mark.parametrize("run_id", ["", "a b", "a/b", "a%2Fb", "nul\0", "ü", "../x", "-x", "x" * 256, "a\n"])
def test_ids_of_runs_are_plain(run_id: str) -> None:
    with pytest.raises(ValueError, match=r"run_id is '.*; it must begin with a letter or digit"):
        request(run_id=run_id)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"user": "nul\0"}, r"user has a NUL: 'nul\\x00'"),
        ({"session_id": "\ud800"}, r"session_id has half of a surrogate pair: '\\ud800'"),
        ({"user": "x" * 1001}, r"user has 1001 characters; there may be 1000: 'x{100}\.\.\.'"),
        ({"timeout": -1.0}, "timeout is -1.0"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"timeout": 1e300}, r"timeout is 1e\+300; it must be more than 0 seconds, and at most ten years"),
        ({"max_turns": 0}, "max_turns is 0"),
    ],
    ids=["nul", "surrogate", "long", "negative", "nan", "huge", "turns"],
)
def test_requests_have_only_what_databases_can_have(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        request(**fields)


def test_a_user_can_have_any_name(engines: Engines) -> None:
    async def body(running: Running) -> None:
        users = ["", "Zoë 🦊", "a\nb", "'; DROP TABLE", "%", "x" * 1000]
        for user in users:
            run_id = await running.engine.start(request([read()], user=user))
            await running.engine.result(run_id, 300)
            assert (await running.engine.info(run_id)).user == user
        assert running.marks("user") == users

    engines.run(body)


def test_a_request_as_json_is_the_same_request() -> None:
    made = request([read()], user="", session_id="", timeout=3.0, max_turns=1)
    assert RunRequest.from_json(made.run_id, json.loads(json.dumps(made.as_json()))) == made


def test_code_of_the_host_that_fails_where_a_run_starts_ends_the_run(engines: Engines) -> None:
    def change(host: Any) -> None:
        def fail(*_: object, **__: object) -> None:
            raise ConnectionError("no directory of users")

        host.runtime.start_run = fail

    async def body(running: Running) -> None:
        end = await running.engine.result(await running.engine.start(request([read()])), 20)
        assert (end.stopped, end.reason) == ("failed", "ConnectionError: no directory of users")

    engines.run(body, change=change)


def test_a_run_that_another_host_cannot_continue_ends_with_a_reason(engines: Engines) -> None:
    """The second host has another catalog, so the run can be planned, and its call cannot be made."""

    def change(host: Any) -> None:
        execute = host._run

        def once(request_: RunRequest) -> Any:
            if host.activities[-1][0] == "call":
                raise ValueError("there is no agent 'main'")
            return execute(request_)

        host._run = once

    async def body(running: Running) -> None:
        end = await running.engine.result(await running.engine.start(request([read(), write("b")], [read()])), 20)
        assert (end.stopped, end.reason, end.turns) == ("failed", "there is no agent 'main'", 1)

    engines.run(body, change=change)


def test_an_answer_that_was_given_twice_does_not_count_for_another_question(engines: Engines) -> None:
    """The call asks about one thing, is answered by two people at once, and then asks about another."""
    has_changed, are_sent = False, asyncio.Event()

    def change(host: Any) -> None:
        ask = host.runtime.permission_request

        async def changing(*args: Any, **more: Any) -> Any:
            question = await ask(*args, **more)
            if has_changed:
                await are_sent.wait()
            return question and replace(question, summary="second" if has_changed else "first")

        host.runtime.permission_request = changing

    async def body(running: Running) -> None:
        nonlocal has_changed
        run_id = await running.engine.start(request([write("a")]))
        (first,) = await running.questions(run_id)
        assert first.question["summary"] == "first"
        has_changed = True
        for _ in range(2):
            with suppress(NotAsked):  # the second time
                await running.engine.decide(run_id, first.id, ALLOW, by="ann")
        are_sent.set()
        (second,) = await until(
            lambda: running.engine.approvals(run_id), lambda seen: seen and seen[0].question["summary"] == "second"
        )
        await asyncio.sleep(0.1)
        assert running.marks() == []
        await running.engine.decide(
            run_id, second.id, PermissionDecision(decision=Decision.DENY, reason="no"), by="ann"
        )
        assert (await running.engine.result(run_id, 300)).messages[-1].is_error
        assert running.marks() == []

    engines.run(body, change=change)


def test_an_engine_in_memory_forgets_old_runs(tmp_path: Path) -> None:
    async def body(running: Running) -> None:
        waiting = await running.engine.start(request([write("a")], run_id="waits"))
        await running.questions(waiting)
        cancelled = await running.engine.start(request(run_id="cancelled"))
        await running.engine.cancel(cancelled)
        for number in range(ENDED_RUNS):
            await running.engine.result(await running.engine.start(request(run_id=f"r{number}")))
        assert (await running.engine.info("r0")).state == "ended"
        with pytest.raises(RunNotFound):
            await running.engine.info(cancelled)
        assert (await running.engine.info(waiting)).state == "waiting"

    Engines("local", "", tmp_path).run(body)
