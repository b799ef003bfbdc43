"""What operators see and do with runs, on every engine: listed, looked at step by step, resumed, forked, deleted."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

import generated
from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.engines import until
from toolgen import __version__
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine.calls import call_request
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos.lease import DEAD, LEFT, Lease
from toolgen.engine.dbos.own_tables import WORKERS
from toolgen.engine.protocol import NotForkable, NotResumable
from toolgen.engine.requests import RunRequest
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine.protocol import Engine

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
PIN = "1234-hunter-1234"
LOGIN = {
    "type": "object",
    "properties": {"user": {"type": "string"}, "pin": {"type": "string", "writeOnly": True}},
    "additionalProperties": False,
}


async def allow(running: Running, run_id: str) -> None:
    (asked,) = await running.questions(run_id)
    await running.engine.decide(run_id, asked.id, ALLOW, by="ann")


def test_runs_are_found_by_agent_user_state_and_age(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([write("a")], run_id="waits", user="ann"))
        await running.questions("waits")
        await asyncio.sleep(engines.tick)
        await engine.start(request([read("a")], run_id="ended", user="bob"))
        await engine.result("ended", 300)
        await asyncio.sleep(engines.tick)
        await engine.start(
            RunRequest(messages=request([read("a")]).messages, run_id="other", user="bob", agent="orchestrator.chat")
        )
        await engine.result("other", 300)
        middle = (await engine.info("ended")).created

        async def found(**selection: object) -> list[str]:
            return [info.run_id for info in await engine.runs(**selection)]  # type: ignore[arg-type]  # by name

        assert await found() == ["other", "ended", "waits"]
        assert await found(limit=1) == ["other"]
        assert await found(user="bob") == ["other", "ended"]
        assert await found(agent="main") == ["ended", "waits"]
        assert await found(agent="main", user="bob", states=["ended"]) == ["ended"]
        assert await found(states=["waiting"]) == ["waits"]
        assert await found(before=middle) == ["ended", "waits"]
        assert await found(after=middle) == ["other", "ended"]
        worker = (await engine.info("waits")).worker
        assert "waits" in await found(worker=worker)
        assert await found(worker="w-unknown") == []

    engines.run(body)


def test_single_calls_that_have_not_ended_are_counted_by_user(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        run_id = ""
        for user in ("bob", "bob", None):
            run_id = await engine.start(call_request(single(write("a")), ToolCallMeta(user=user)))
            await running.questions(run_id)
        await engine.start(request([write("a")], run_id="no_single_call", user="bob"))
        await running.questions("no_single_call")
        await engine.result(await engine.start(call_request(single(read("a")), ToolCallMeta(user="bob"))), 300)
        assert [await engine.unfinished_calls(user) for user in ("bob", None, "eve")] == [(2, 3), (1, 3), (0, 3)]
        await engine.cancel(run_id)
        await until_none(engine)

    def single(call: tuple[str, dict[str, Any]]) -> ToolRequest:
        return ToolRequest(name=call[0], payload=json.dumps(call[1]))

    async def until_none(engine: Engine) -> None:
        async with asyncio.timeout(30):
            while await engine.unfinished_calls(None) != (0, 2):
                await asyncio.sleep(0.05)

    engines.run(body)


def test_runs_that_ask_are_listed_by_user_the_oldest_question_first_and_in_turn(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for run_id, user in (("b1", "bob"), ("b2", "bob"), ("a1", "ana"), ("b3", "bob"), ("n1", None), ("a2", "ana")):
            await engine.start(request([write("a")], run_id=run_id, user=user))
            await running.questions(run_id)
            await asyncio.sleep(0.01)
        await engine.start(request([read("a")], run_id="ended", user="ana"))
        await engine.result("ended", 300)

        async def found(**selection: object) -> list[str]:
            infos = await engine.asking(**selection)  # type: ignore[arg-type]  # by name
            assert [info.state for info in infos] == ["waiting"] * len(infos)
            return [info.run_id for info in infos]

        assert await found() == ["b1", "b2", "a1", "b3", "n1", "a2"]
        assert await found(skip=2, limit=3) == ["a1", "b3", "n1"]
        assert await found(user="ana") == ["a1", "a2"]
        assert await found(user="ana", skip=1) == ["a2"]
        assert await found(user="eve") == []
        assert await found(in_turn=True) == ["b1", "a1", "n1", "b2", "a2", "b3"]
        assert await found(in_turn=True, skip=1, limit=2) == ["a1", "n1"]
        await allow(running, "a1")
        await engine.result("a1", 300)
        await engine.cancel("b1")
        assert await found(limit=2) == ["b2", "b3"]
        for wrong in ({"skip": -1}, {"limit": -1}, {"skip": 1_000_001}, {"user": "\ud800"}):
            with pytest.raises(ValueError, match=r"^(skip|limit|user) "):
                await found(**wrong)

    engines.run(body)


def test_steps_have_their_args_and_results(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        run_id = await engine.start(request([read("a"), read("b"), write("c")], [read("down")], answer=7))
        await allow(running, run_id)
        await engine.result(run_id, 300)
        steps = await engine.timeline(run_id)
        assert [step.number for step in steps] == sorted({step.number for step in steps})
        assert all(step.ended is not None and step.started <= step.ended for step in steps)
        plans = [step.result for step in steps if step.name == "plan"]
        assert plans[0] == {"calls": ["code.read_file", "code.read_file", "code.write_file"]}
        assert plans[-1] == {"outcome": 7}
        reads = [step for step in steps if step.name == "call code.read_file"]
        assert [step.args for step in reads[:2]] == [{"path": "a"}, {"path": "b"}]
        assert [step.result["content"] for step in reads[:2]] == ["text of a", "text of b"]
        asked, made = [step for step in steps if step.name == "call code.write_file"]
        assert asked.args == made.args == {"path": "c", "content": "x"}
        assert asked.result["asks"].startswith("q_")
        assert made.result == {"bytes_written": 1, "created": True}
        assert [step.error for step in reads[2:]] == ["unavailable: down"] * 3
        with pytest.raises(RunNotFound):
            await engine.timeline("nobody")

    engines.run(body)


def test_secrets_of_steps_are_redacted(engines: Engines) -> None:
    """What a tool declares as secret, and what looks like one: in args, in results that repeat it, and in errors."""
    token = f"ghp_{'a1B2' * 9}"

    async def body(running: Running) -> None:
        engine = running.engine
        note = ("own.note", {"user": "ann", "pin": PIN})
        run_id = await engine.start(request([note], [read(token), read(f"down {token}")], answer={"said": token}))
        await allow(running, run_id)
        await engine.result(run_id, 300)
        steps = await engine.timeline(run_id)
        text = json.dumps([[step.name, step.args, step.result, step.error] for step in steps])
        assert PIN not in text
        assert token not in text
        (noted,) = [step for step in steps if step.name == "call own.note" and "asks" not in (step.result or {})]
        assert noted.args == {"user": "ann", "pin": "[redacted]"}
        assert "ann" in str(noted.result)

    engines.run(body, own=LOGIN)


def test_a_fork_keeps_the_steps_before_and_makes_those_after_anew(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([read("a")], [write("b")], [read("c")], run_id="first", user="ann"))
        await allow(running, "first")
        end = await engine.result("first", 300)
        steps = await engine.timeline("first")
        writes = [step for step in steps if step.name == "call code.write_file"]
        plans = running.count("plan")
        forked = await engine.fork("first", writes[0].number, new_id="second")
        assert forked == "second"
        await allow(running, "second")  # the answer to the question of the first one allows no other call
        again = await engine.result("second", 300)
        assert (again.value, len(again.messages)) == (end.value, len(end.messages))
        assert running.count("plan") == plans + 2  # of the turns after the write
        assert sorted(running.marks()) == ["a", "b", "b", "c", "c"]
        assert len({*running.marks("key")}) == 5
        info = await engine.info("second")
        assert (info.forked_from, info.user, info.agent, info.state) == ("first", "ann", "main", "ended")
        assert (await engine.info("first")).state == "ended"
        shown = await engine.timeline("second")
        assert [step.args for step in shown if step.name == "call code.read_file"] == [{"path": "a"}, {"path": "c"}]
        other = await engine.fork("first", 1)
        await allow(running, other)
        assert (await engine.result(other, 300)).value == end.value
        assert running.marks().count("a") == 2

    engines.run(body)


def test_what_cannot_be_forked_is_refused(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([search(), read("a")], run_id="r1"))
        await engine.result("r1", 300)
        with pytest.raises(RunNotFound):
            await engine.fork("nobody", 1)
        for step in (0, 99, -1):
            with pytest.raises(NotForkable, match=f"r1 cannot be forked: {step} is no step .* those are 1, "):
                await engine.fork("r1", step)
        with pytest.raises(NotForkable, match="there is a run r1 already"):
            await engine.fork("r1", 1, new_id="r1")
        with pytest.raises(NotForkable, match="cannot be forked"):
            await engine.fork("r1", 1, new_id="a/b")
        (child,) = [info.run_id for info in await engine.runs() if info.run_id != "r1"]
        with pytest.raises(NotForkable, match="a call of r1 has started it"):
            await engine.fork(child, 1)
        assert len(await engine.runs()) == 2

    engines.run(body)


def test_every_engine_resumes_what_was_cancelled_with_the_runs_below_it(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([read("a")], [search([("router.web_search", {"query": "b"})])], run_id="r1"))
        (child,) = await until(
            lambda: engine.runs(states=["waiting"]), lambda found: [each.parent_run_id for each in found] == ["r1"]
        )
        with pytest.raises(NotResumable):
            await engine.resume("r1")
        await engine.cancel("r1")
        await until(lambda: engine.runs(states=["cancelled"]), lambda found: len(found) == 2)
        with pytest.raises(NotResumable, match="resume r1, which waits for it"):
            await engine.resume(child.run_id)
        await engine.resume("r1")
        await allow(running, child.run_id)
        assert (await engine.result("r1", 300)).stopped == "completed"
        assert sorted(running.marks()) == ["a", "b"]

    engines.run(body)


def test_every_engine_says_what_it_deletes(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([search(), write("a")], run_id="waits"))
        await running.questions("waits")
        await engine.start(request([read("a")], run_id="ended"))
        await engine.result("ended", 300)
        await engine.start(request([write("a")], run_id="cancelled"))
        await running.questions("cancelled")
        await engine.cancel("cancelled")
        assert str(await engine.prune(3600)) == "deleted 0 runs"
        await asyncio.sleep(engines.tick)
        pruned = await engine.prune(0)
        assert (pruned.runs, pruned.states, pruned.agents) == (2, {"ended": 1, "cancelled": 1}, {"main": 2})
        assert {info.run_id.partition(".")[0] for info in await engine.runs()} == {"waits"}
        await asyncio.sleep(0)

    engines.run(body)


def test_workers_are_listed_with_their_load_and_version(engines: Engines) -> None:
    lock = Path(generated.__file__ or "").parent / "toolgen.lock"

    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([read("slow-60")], run_id="works"))
        await engine.start(request([write("a")], run_id="asks"))
        await running.questions("asks")
        (worker,) = await until(engine.workers, lambda found: (found[0].activities, found[0].waiting) == (1, 1))
        assert (worker.lease, worker.runs) == ("held", 1)
        assert worker.concurrency == (None if running.worker is None else 7)
        assert worker.version == __version__
        assert worker.package == f"generated {sha256(lock.read_bytes()).hexdigest()[:12]}"
        assert (await engine.info("works")).worker == worker.name
        assert {info.run_id for info in await engine.runs(worker=worker.name)} == {"works", "asks"}
        await engine.cancel("works")
        await engine.cancel("asks")
        await until(engine.workers, lambda found: (found[0].activities, found[0].runs, found[0].waiting) == (0, 0, 0))
        assert await engine.retention() is None

    engines.run(body, worker={"concurrency": 7})


@pytest.mark.parametrize(
    ("beats", "silent", "lease"),
    [(9, 0.0, "held"), (9, 4.0, "late"), (9, 5.1, "dead"), (9, 9e4, "dead"), (DEAD, 0.0, "dead"), (LEFT, 0.0, "left")],
)
def test_a_lease_is_what_the_clock_of_the_database_says_of_its_last_beat(
    durable: Engines, beats: int, silent: float, lease: str
) -> None:
    durable.prepare()

    async def body() -> None:
        engine = DbosEngine(durable.url)
        database = engine._tables.engine
        made = Lease(database, "w")
        made.prepare()
        with database.begin() as connection:
            beaten_at = WORKERS.c.beaten_at - int(silent * 1000)
            connection.execute(sa.update(WORKERS).values(beats=beats, beaten_at=beaten_at))
        (worker,) = await engine.workers()
        assert (worker.name, worker.lease) == ("w", lease)
        assert worker.beat_age is not None
        assert worker.beat_age >= silent
        with database.begin() as connection:  # as of a worker that others found by its runs only
            connection.execute(sa.update(WORKERS).values(beats=DEAD, beaten_at=None, about=None))
        (worker,) = await engine.workers()
        assert (worker.lease, worker.beat_age, worker.version) == ("dead", None, "")
        await engine.close()

    asyncio.run(body())
