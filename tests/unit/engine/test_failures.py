"""Runs are not given up by accident: planners whose model is away are asked again, and what failed can be resumed."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.engine.app import ScriptPlanner, read, request, search, write
from tests.unit.engine.engines import IN_DATABASES, QUICK, Engines, until
from toolgen.contract.records import FailureKind
from toolgen.engine.body import Retries
from toolgen.engine.failures import Hope, hope_of, wait_of
from toolgen.engine.protocol import NotResumable, RunFailed
from toolgen.engine.steps import steps_to_repeat
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.record.stores import open_store
from toolgen.runtime.base.errors import CallFailed, ToolRateLimited
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.unit.engine.engines import CountingHost, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
PATIENT = replace(QUICK, planner_seconds=60.0, planner_most=0.1)


class Unsteady(ScriptPlanner):
    """Follows the script, but raises what `error` makes while it does."""

    def __init__(self, error: Callable[[int], BaseException | None]) -> None:
        super().__init__()
        self.asked = 0
        self.error = error

    async def plan(self, *args: Any) -> Any:
        self.asked += 1
        error = self.error(self.asked)
        if error is not None:
            raise error
        return await super().plan(*args)


def planned_by(planner: Any) -> Callable[[CountingHost], None]:
    return lambda host: host.planners.update(default=planner)  # type: ignore[attr-defined]  # a dict here


async def failed(running: Running, run_id: str, reason: str) -> str:
    """Wait until a run has failed for a reason; return the detail."""
    info = await until(partial(running.engine.info, run_id), lambda info: info.state == "failed")
    assert info.reason == reason
    return str(info.detail)


def test_a_model_that_is_away_for_a_while_ends_no_run(engines: Engines) -> None:
    planner = Unsteady(lambda asked: ConnectionError("no model") if 2 <= asked <= 12 else None)

    async def body(running: Running) -> None:
        end = await running.engine.result(await running.engine.start(request([read("a")], [read("b")])), 50)
        assert (end.stopped, end.turns) == ("completed", 3)
        assert planner.asked == 3 + 11
        assert running.marks() == ["a", "b"]

    engines.run(body, change=planned_by(planner), retries=PATIENT)


@pytest.mark.parametrize(
    ("error", "asked"),
    [(TypeError("the planner is broken"), 1), (RuntimeError("who knows"), 3)],
    ids=["a defect", "nothing tells"],
)
def test_a_planner_is_asked_again_as_often_as_that_may_help(engines: Engines, error: Exception, asked: int) -> None:
    planner = Unsteady(lambda _asked: error)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request())
        assert await failed(running, run_id, "planner") == f"{type(error).__name__}: {error}"
        assert (await running.engine.result(run_id, 300)).stopped == "failed"
        assert planner.asked == asked

    engines.run(body, change=planned_by(planner), retries=PATIENT)


def test_a_failed_run_is_listed_counted_and_logged_as_such(durable: Engines, caplog: pytest.LogCaptureFixture) -> None:
    planner = Unsteady(lambda _asked: ValueError("token sk-ant-api03-" + "x" * 95))

    async def body(running: Running) -> None:
        engine: Any = running.engine
        run_id = await engine.start(request())
        detail = await failed(running, run_id, "planner")
        assert detail.startswith("ValueError: token ")
        assert "xxxx" not in detail
        assert [(info.run_id, info.reason) for info in await engine.runs(states=["failed"])] == [(run_id, "planner")]
        assert await engine.runs(states=["ended"]) == []
        metrics = running.worker.metrics.registry
        assert metrics.get_sample_value("toolgen_runs_failed_total", {"reason": "planner"}) == 1
        assert f"the run {run_id} failed (planner): {detail}" in caplog.messages

    durable.run(body, change=planned_by(planner))


def test_a_run_whose_planner_failed_is_resumed_from_that_plan(durable: Engines) -> None:
    is_away = True

    def error(asked: int) -> Exception | None:
        return ConnectionError("no model") if asked == 2 or (asked > 3 and is_away) else None

    planner = Unsteady(error)

    def was_asked(before: int) -> bool:
        return planner.asked > before

    async def body(running: Running) -> None:
        nonlocal is_away
        engine: Any = running.engine
        run_id = await engine.start(request([read("a")], [read("b")]))  # asked: a plan, one that fails, a plan, ...
        await failed(running, run_id, "planner")
        for _ in range(2):
            before = planner.asked
            await engine.resume(run_id)
            await until(partial(was_asked, before))
            await failed(running, run_id, "planner")
            assert planner.asked > before + 1  # all of its attempts are new
        is_away = False
        await engine.resume(run_id)
        assert (await engine.result(run_id, 300)).stopped == "completed"
        assert (await engine.info(run_id)).reason == ""
        assert running.marks() == ["a", "b"]  # none of them again
        assert [step.name for step in await engine.timeline(run_id)] == [
            "plan",
            "call code.read_file",
            "plan",
            "DBOS.sleep",
            "plan",
            "call code.read_file",
            "plan",
        ]

    durable.run(body, change=planned_by(planner))


def test_a_run_that_had_all_its_turns_goes_on_with_more(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        turns = [[read(path)] for path in "abc"]
        run_id = await engine.start(request(*turns, max_turns=2))
        assert await failed(running, run_id, "max_turns") == "no answer after 2 turns"
        with pytest.raises(NotResumable, match=f"{run_id} is failed: it has had all of its turns; resume it with more"):
            await engine.resume(run_id)
        with pytest.raises(ValueError, match="turns is -1"):
            await engine.resume(run_id, turns=-1)
        await engine.resume(run_id, turns=1)
        assert await failed(running, run_id, "max_turns") == "no answer after 3 turns"
        await engine.resume(run_id, turns=1)
        end = await engine.result(run_id, 300)
        assert (end.stopped, end.turns) == ("completed", 4)
        assert running.marks() == ["a", "b", "c"]

    durable.run(body)


OLD: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
NEW: dict[str, Any] = {**OLD, "properties": {"title": {"type": "string"}}}


def test_a_run_whose_tool_has_changed_goes_on_after_the_rollback(durable: Engines) -> None:
    """The calls beside it are kept, and those after it are made then."""

    async def body() -> None:
        async with durable.opened(own=OLD) as running:
            run_id = await running.engine.start(request([read("a"), ("own.note", {"text": "x"})], [read("b")]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(own=NEW) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            assert "own.note has changed" in await failed(running, run_id, "tool_changed")
        async with durable.opened(own=OLD) as running:
            engine: Any = running.engine
            await engine.resume(run_id)
            assert (await engine.result(run_id, 300)).stopped == "completed"
            assert running.marks() == ["a", "b"]
            assert running.count("plan") == 2

    asyncio.run(body())


def test_calls_beside_one_that_ends_the_run_are_kept_and_those_after_it_are_made_later(durable: Engines) -> None:
    is_broken = True

    def change(host: Any) -> None:
        execute = host.execute

        async def failing(*args: Any) -> Any:
            if args[1].key.startswith("c00") and is_broken:
                return {"error": "this host is broken"}
            return await execute(*args)

        host.execute = failing

    async def body(running: Running) -> None:
        nonlocal is_broken
        engine: Any = running.engine
        run_id = await engine.start(request([read("a"), read("flaky-b"), read("c"), write("d")], [read("e")]))
        assert await failed(running, run_id, "planner") == "this host is broken"
        assert sorted(running.marks()) == ["c", "flaky-b"]
        is_broken = False
        await engine.resume(run_id)
        (asked,) = await running.questions(run_id)
        await engine.decide(run_id, asked.id, ALLOW, by="ann")
        end = await engine.result(run_id, 300)
        assert (end.stopped, [each.content for each in end.messages if each.is_error]) == ("completed", [])
        assert sorted(running.marks()) == ["a", "c", "d", "e", "flaky-b", "flaky-b"]

    durable.run(body, change=change)


def test_an_agent_that_failed_is_a_failed_run_and_an_error_for_the_one_that_started_it(engines: Engines) -> None:
    class Picky(ScriptPlanner):
        async def plan(self, messages: Sequence[Any], tools: Any, meta: Any, /) -> Any:
            if meta.parent_run_id is not None:
                raise TypeError("no agent today")
            return await super().plan(messages, tools, meta)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([search()]))
        end = await running.engine.result(run_id, 300)
        assert (end.stopped, end.messages[-1].is_error) == ("completed", True)
        (child,) = {run for _, run in running.host.runs_seen if run != run_id}
        assert await failed(running, child, "planner") == "TypeError: no agent today"

    engines.run(body, change=planned_by(Picky()))


def test_a_request_that_no_worker_can_read_fails(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        options: Any = {"workflow_name": "toolgen.run", "queue_name": "toolgen", "workflow_id": "r1"}
        await engine._client.enqueue_async({**options, "app_version": "toolgen-1"}, {"messages": 3})
        assert "this worker cannot read the request" in await failed(running, "r1", "engine")
        with pytest.raises(RunFailed, match="r1 could not be executed: this worker cannot read the request"):
            await engine.result("r1", 300)

    durable.run(body)


class APIStatusError(Exception):
    """As the SDKs of OpenAI and Anthropic have it."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.status_code = status
        self.response = httpx.Response(status, headers=headers, request=httpx.Request("POST", "http://model"))
        super().__init__(f"status {status}")


class APIConnectionError(Exception):
    """As these have it, without a status."""


class ClientError(Exception):
    """As botocore has it."""

    def __init__(self, status: int) -> None:
        self.response = {"ResponseMetadata": {"HTTPStatusCode": status}}
        super().__init__("An error occurred")


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "hope"),
    [
        (ConnectionRefusedError(), Hope.PASSES),
        (TimeoutError(), Hope.PASSES),
        (httpx.ConnectError("x"), Hope.PASSES),
        (httpx.ReadTimeout("x"), Hope.PASSES),
        (httpx.RemoteProtocolError("x"), Hope.PASSES),
        (caused(RuntimeError("x"), httpx.PoolTimeout("x")), Hope.PASSES),
        (caused(RuntimeError("x"), ConnectionResetError()), Hope.PASSES),
        (ExceptionGroup("x", [ConnectionResetError()]), Hope.PASSES),
        (APIConnectionError("x"), Hope.PASSES),
        (APIStatusError(429), Hope.PASSES),
        (APIStatusError(408), Hope.PASSES),
        (APIStatusError(500), Hope.PASSES),
        (APIStatusError(503), Hope.PASSES),
        (APIStatusError(529), Hope.PASSES),
        (ClientError(503), Hope.PASSES),
        (CallFailed(FailureKind.RATE_LIMITED, "x", "x"), Hope.PASSES),
        (CallFailed(FailureKind.UNAVAILABLE, "x", "x"), Hope.PASSES),
        (CallFailed(FailureKind.TIMEOUT, "x", "x"), Hope.PASSES),
        (ToolRateLimited("x", 3.0), Hope.PASSES),
        (ToolRateLimited("x", None), Hope.UNKNOWN),
        (CallFailed(FailureKind.DOMAIN_REJECTION, "x", "x"), Hope.UNKNOWN),
        (APIStatusError(400), Hope.UNKNOWN),
        (APIStatusError(401), Hope.UNKNOWN),
        (APIStatusError(501), Hope.UNKNOWN),
        (ClientError(400), Hope.UNKNOWN),
        (RuntimeError("x"), Hope.UNKNOWN),
        (ValueError("x"), Hope.UNKNOWN),
        (socket.gaierror(-3, "Temporary failure in name resolution"), Hope.PASSES),
        (OSError(errno.EHOSTUNREACH, "No route to host"), Hope.PASSES),
        (OSError(errno.ENOENT, "No such file"), Hope.UNKNOWN),
        (TypeError("x"), Hope.NONE),
        (AttributeError("x"), Hope.NONE),
        (NotImplementedError("x"), Hope.NONE),
        (UnsupportedCapability("openai", ()), Hope.NONE),
    ],
    ids=lambda each: repr(each)[:60],
)
def test_errors_of_planners_that_may_pass_are_known(error: Exception, hope: Hope) -> None:
    assert hope_of(error) == hope


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (APIStatusError(429, {"retry-after": "7"}), 7.0),
        (APIStatusError(429, {"Retry-After": "0.5"}), 0.5),
        (APIStatusError(429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}), 0.0),
        (APIStatusError(429, {"retry-after": "1e999"}), None),
        (APIStatusError(429, {"retry-after": "soon"}), None),
        (APIStatusError(429, {"retry-after": "9" * 50}), 24 * 3600.0),
        (APIStatusError(429), None),
        (caused(RuntimeError("x"), ToolRateLimited("x", 3.0)), 3.0),
        (ToolRateLimited("x", -5.0), 0.0),
        (RuntimeError("x"), None),
    ],
    ids=repr,
)
def test_the_wait_that_the_other_side_asks_for_is_read(error: Exception, seconds: float | None) -> None:
    assert wait_of(error) == seconds


SECONDS = st.floats(0, 1e6)


@given(SECONDS, SECONDS, st.integers(1, 10_000), st.text(max_size=20))
def test_waits_of_planners_are_random_bounded_and_the_same_each_time(
    first: float, most: float, attempt: int, seed: str
) -> None:
    retries = Retries(first=first, planner_most=most)
    delay = retries.planner_delay(attempt, None, seed)
    assert delay == retries.planner_delay(attempt, None, seed)
    assert first <= delay <= max(first, most)


def test_runs_that_failed_together_do_not_ask_together_again() -> None:
    waits = sorted(Retries().planner_delay(6, None, f"run {number} 0") for number in range(300))
    assert waits[-1] - waits[0] > 200
    assert max(later - before for before, later in pairwise(waits)) < 20


@pytest.mark.parametrize(
    "fields", [{"attempts": 0}, {"first": -1.0}, {"planner_seconds": float("nan")}, {"most": float("inf")}], ids=str
)
def test_retries_have_sensible_bounds_only(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(fields))} is "):
        Retries(**fields)


STEPS = st.lists(st.sampled_from(["plan", "failed plan", "call", "failed call", "DBOS.sleep", "DBOS.recv"]))


@given(STEPS)
def test_what_is_repeated_is_what_failed_since_the_last_plan(names: list[str]) -> None:
    steps = [(at, name.removeprefix("failed "), name.startswith("failed"), 5000 + at) for at, name in enumerate(names)]
    again, failed_at = steps_to_repeat(steps)
    last_plan = max((at for at, name in enumerate(names) if name == "plan"), default=-1)
    failed_since = [at for at, name in enumerate(names) if at > last_plan and name.startswith("failed")]
    assert all(at > last_plan for at in again)
    assert {*failed_since} <= {*again}
    assert (failed_at < float("inf")) == bool(failed_since)
    first = next((at for at in failed_since if names[at] == "failed plan"), len(names))
    assert [at for at in again if at not in failed_since] == [
        at for at in range(first, len(names)) if at not in failed_since
    ]


def test_an_outcome_that_looks_like_an_exception_is_none() -> None:
    from toolgen.engine.dbos.database import JsonSerializer, StepFailed, Unanswered

    serializer = JsonSerializer()
    for made in (Unanswered({"stopped": "failed", "value": None}), StepFailed({"error": "x"}), RunFailed("x")):
        written = serializer.deserialize(serializer.serialize(made))
        assert type(written) is type(made)
        assert vars(written) == vars(made)
    assert serializer.deserialize(json.dumps({"$end": {}, "more": 1})) == {"$end": {}, "more": 1}


WAYS_TO_END: dict[str, tuple[dict[str, Any], str]] = {
    "completed": ({}, "completed"),
    "failed": ({"planner": "missing"}, "failed"),
    "max_turns": ({"max_turns": 1}, "max_turns"),
    "cancelled": ({}, "cancelled"),
    "cancelled while it asks": ({}, "cancelled"),
    "deadline": ({"timeout": 1.5}, "cancelled"),
    "tool_changed": ({}, "tool_changed"),
}


@pytest.mark.parametrize("way", WAYS_TO_END)
@pytest.mark.variants(5)
def test_each_run_that_has_ended_has_one_end_on_record(way: str, engines: Engines, tmp_path: Path) -> None:
    fields, reason = WAYS_TO_END[way]
    if way == "tool_changed" and engines.kind not in IN_DATABASES:
        pytest.skip("tools of a process do not change")
    store = open_store(tmp_path / "record.db")
    turns = {
        "cancelled": [[read("slow-60")]],
        "deadline": [[read("slow-60")]],
        "cancelled while it asks": [[read("a"), write("b")]],
        "tool_changed": [[("own.note", {"text": "x"})]],
    }

    async def ends() -> list[Any]:
        with suppress(RunNotFound):
            events = (await store.read("r")).events
            return [event.data["end_reason"] for event in events if event.kind == "run_ended"]
        return []

    async def body() -> None:
        async with engines.opened(store=store, own=OLD) as running:
            await running.engine.start(request(*turns.get(way, [[read("a")], [read("b")]]), run_id="r", **fields))
            if way == "cancelled":
                await until(running.marks)
                await running.engine.cancel("r")
            asked = await running.questions("r") if way in ("cancelled while it asks", "tool_changed") else []
            if way == "cancelled while it asks":
                await running.engine.cancel("r")
            if way != "tool_changed":
                await until(ends)
        if way == "tool_changed":
            async with engines.opened(store=store, own=NEW) as running:
                await running.engine.decide("r", asked[0].id, ALLOW, by="ann")
                await failed(running, "r", "tool_changed")
        assert await ends() == [reason]

    asyncio.run(body())
    asyncio.run(store.close())
