"""Runs in a database that are resumed, at any moment, with the runs that their calls started."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from dbos._sys_db import SystemDatabase

from tests.later import later
from tests.unit.engine.app import AGENT, read, request, search, write
from tests.unit.engine.engines import ALLOW, allow, asking_agent, until
from toolgen.engine.body import Retries
from toolgen.engine.dbos import DbosEngine, retention, tables
from toolgen.engine.dbos.tables import cancel_child
from toolgen.engine.protocol import NotResumable

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running


def runs_table(durable: Engines) -> str:
    return "dbos.workflow_status" if durable.kind == "postgres" else "workflow_status"


def test_only_a_run_that_does_not_go_on_is_resumed_and_only_once(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        run_id = await engine.start(request([write("a")], [read("b")]))
        (asked,) = await running.questions(run_id)
        with pytest.raises(NotResumable, match=f"{run_id} is running: only a run that was cancelled or has failed"):
            await engine.resume(run_id)
        await engine.cancel(run_id)
        resumed = await asyncio.gather(*(engine.resume(run_id) for _ in range(4)), return_exceptions=True)
        assert sorted(type(each).__name__ for each in resumed) == ["NoneType", *["NotResumable"] * 3]
        assert [each.call for each in await running.questions(run_id)] == [asked.call]
        await engine.decide(run_id, asked.id, ALLOW, by="ann")
        assert (await engine.result(run_id, 300)).stopped == "completed"
        assert running.marks() == ["a", "b"]
        assert running.count("plan") == 3  # what was planned before it was cancelled is kept
        with pytest.raises(NotResumable, match=f"{run_id} is ended"):
            await engine.resume(run_id)

    durable.run(body)


def test_a_resumed_run_goes_on_with_the_agents_that_were_cancelled_with_it(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        run_id = await engine.start(request([search([("router.web_search", {"query": "x"})])]))
        child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
        (asked,) = await running.questions(child.run_id)
        await engine.cancel(run_id)
        await until(partial(engine.info, child.run_id), lambda info: info.state == "cancelled")
        await engine.resume(run_id)
        (asked,) = await running.questions(child.run_id)
        await engine.decide(child.run_id, asked.id, ALLOW, by="ann")
        end = await engine.result(run_id, 300)
        assert (end.stopped, end.messages[-1].is_error) == ("completed", False)
        assert running.marks() == ["x"]

    durable.run(body)


@pytest.mark.parametrize("seed", [0, *later(range(1, 8))])
def test_a_run_goes_on_from_any_moment_in_which_it_was_cancelled(durable: Engines, seed: int) -> None:
    async def one(running: Running, moments: random.Random, run_id: str) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [read(run_id)], run_id=run_id))
        for _ in range(moments.choice([1, 1, 2])):
            await asyncio.sleep(moments.uniform(0, 2))
            await engine.cancel(run_id)
            await asyncio.sleep(moments.choice([0, moments.uniform(0, 0.1), moments.uniform(0, 1.2)]))
            await engine.resume(run_id)
        await allow(running, run_id)
        end = await engine.result(run_id, 300)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])

    async def body(running: Running) -> None:
        moments = random.Random(seed)
        await asyncio.gather(*(one(running, random.Random(moments.random()), f"r{number}") for number in range(6)))
        assert sorted({*running.marks()}) == sorted(["x", *(f"r{number}" for number in range(6))])

    durable.run(body)


@pytest.mark.parametrize("seed", [0, *later(range(1, 8))])
def test_a_run_goes_on_with_its_agents_whoever_cancels_and_resumes_it_at_the_same_time(
    durable: Engines, seed: int
) -> None:
    async def person(engine: Any, moments: random.Random, run_id: str) -> None:
        for _ in range(6):
            await asyncio.sleep(moments.choice([0, moments.uniform(0, 0.3)]))
            if moments.choice([True, False]):
                await engine.cancel(run_id)
            else:
                with suppress(NotResumable):
                    await engine.resume(run_id)

    async def one(running: Running, moments: random.Random, run_id: str) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [read(run_id)], run_id=run_id))
        await asyncio.sleep(moments.uniform(0, 2))
        await asyncio.gather(*(person(engine, random.Random(moments.random()), run_id) for _ in range(3)))
        with suppress(NotResumable):
            await engine.resume(run_id)
        await allow(running, run_id)
        end = await engine.result(run_id, 300)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])

    async def body(running: Running) -> None:
        moments = random.Random(seed)
        await asyncio.gather(*(one(running, random.Random(moments.random()), f"r{number}") for number in range(6)))

    durable.run(body)


def test_an_execution_that_was_resumed_elsewhere_makes_no_further_call(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("down")], run_id="r1"))
        await until(partial(engine.timeline, "r1"), lambda steps: "DBOS.sleep" in [step.name for step in steps])
        await engine.cancel("r1")
        await engine.resume("r1")
        assert (await engine.result("r1", 300)).stopped == "completed"
        tokens = running.marks("token")
        assert (tokens, len({*tokens})) == (sorted(tokens), 2)  # the first execution made none after the second
        assert len(tokens) == 3  # which went on with the attempt that the first had kept

    durable.run(body, worker={"retries": Retries(first=3, most=3)})


def test_a_call_that_is_made_again_has_nothing_to_do_with_the_one_that_was_cancelled(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("until-resumed")], run_id="r1"))
        await until(running.marks)
        await engine.cancel("r1")
        await engine.resume("r1")
        await until(lambda: len(running.marks()) == 2)
        (running.folder / "resumed").touch()
        end = await engine.result("r1", 300)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])
        assert running.marks() == ["until-resumed"] * 2

    durable.run(body)


def test_a_worker_that_stops_writes_no_args_to_its_log(durable: Engines, caplog: pytest.LogCaptureFixture) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([AGENT], run_id="r1"))
        await until(lambda: running.count("inline"))

    durable.run(body)
    assert "router.web_search" not in caplog.text


@pytest.mark.parametrize("ahead", [0, 5])
@pytest.mark.variants(1)
def test_a_run_that_failed_goes_on_with_the_agents_that_were_cancelled_by_that(
    durable: Engines, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    """It does so also if the clock of its worker is ahead of that of the database, by seconds."""
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + ahead)
    works = asyncio.Event()
    write_outcome = SystemDatabase.update_workflow_outcome

    def write_later(*args: Any, **options: Any) -> bool:
        time.sleep(0 if works.is_set() else 1.5)  # the agents are cancelled first
        return write_outcome(*args, **options)

    monkeypatch.setattr(SystemDatabase, "update_workflow_outcome", write_later)

    def change(host: Any) -> None:
        execute = host.execute

        async def failing(*args: Any) -> Any:
            if args[1].key.startswith("c01") and not works.is_set():
                await asyncio.sleep(1)
                raise OSError("no space left")
            return await execute(*args)

        host.execute = failing

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT, search([("router.web_search", {"query": "y"})])], run_id="r1"))
        await until(partial(engine.info, "r1"), lambda info: info.state == "failed")
        child = next(info.run_id for info in await engine.runs() if info.run_id != "r1")
        await until(partial(engine.info, child), lambda info: info.state == "cancelled")
        works.set()
        await engine.resume("r1")
        await allow(running, "r1")
        end = await engine.result("r1", 300)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])
        assert sorted(running.marks()) == ["x", "y"]

    durable.run(body, change=change)


def test_an_execution_that_lost_its_run_cancels_no_agent_of_the_one_that_has_it(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        child = await asking_agent(running)
        cancel = partial(cancel_child, engine._tables, "r1", "another execution", child.run_id)
        await asyncio.to_thread(cancel)
        assert (await engine.info(child.run_id)).state == "waiting"
        await engine.cancel("r1")
        with pytest.raises(NotResumable, match=f"{child.run_id} is cancelled: resume r1, which waits for it"):
            await engine.resume(child.run_id)
        await engine._client.resume_workflow_async(child.run_id, queue_name="toolgen")
        await until(partial(engine.info, child.run_id), lambda info: info.state == "cancelled")  # nobody waits for it

    durable.run(body)


def test_a_run_is_resumed_with_its_agents_or_not_at_all(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        child = await asking_agent(running)
        await engine.cancel("r1")
        enqueue_again = tables._enqueue_again

        def dies_at_the_agent(database: Any, connection: Any, run_id: str) -> float:
            if run_id != "r1":
                raise OSError("no space left")
            return enqueue_again(database, connection, run_id)

        with monkeypatch.context() as patched:
            patched.setattr(tables, "_enqueue_again", dies_at_the_agent)
            with pytest.raises(OSError, match="no space left"):
                await engine.resume("r1")
        assert {info.run_id: info.state for info in await engine.runs(states=["cancelled"])} == {
            child.run_id: "cancelled",
            "r1": "cancelled",
        }
        await asyncio.sleep(durable.tick)
        await engine.cancel("r1")  # nothing is left that would make it a later time
        await engine.resume("r1")
        await allow(running, "r1")
        end = await engine.result("r1")
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])
        assert running.marks() == ["x"]

    durable.run(body)


def test_an_agent_ends_with_a_run_whose_time_was_up_while_no_worker_ran(durable: Engines) -> None:
    async def body() -> None:
        async with durable.opened() as running:
            engine: Any = running.engine
            await engine.start(request([AGENT], run_id="r1", timeout=600))
            child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
            await running.questions(child.run_id)
        database = sa.create_engine(durable.url)
        deadline = "workflow_deadline_epoch_ms"
        with database.begin() as connection:
            past = f"UPDATE {runs_table(durable)} SET {deadline} = 1 WHERE {deadline} IS NOT NULL"  # noqa: S608  # names of ours
            assert connection.execute(sa.text(past)).rowcount
        database.dispose()
        async with durable.opened() as running:
            await until(partial(running.engine.info, child.run_id), lambda info: info.state == "cancelled")
            assert (await running.engine.info("r1")).state == "cancelled"

    asyncio.run(body())


def test_a_run_keeps_an_answer_that_it_has_not_read(durable: Engines) -> None:
    async def body() -> None:
        async with durable.opened() as running:
            await running.engine.start(request([write("a")], run_id="r1"))
            (asked,) = await running.questions("r1")
        engine: Any = DbosEngine(durable.url, poll=0.02)
        await engine.decide("r1", asked.id, ALLOW, by="ann")
        await engine.cancel("r1")
        await engine.resume("r1")
        await engine.close()
        async with durable.opened() as running:
            assert (await running.engine.result("r1", 300)).stopped == "completed"
            assert running.marks() == ["a"]

    asyncio.run(body())


def test_a_run_that_failed_keeps_what_was_done_beside_the_call_that_failed(durable: Engines) -> None:
    works = asyncio.Event()

    def change(host: Any) -> None:
        execute = host.execute

        async def failing(*args: Any) -> Any:
            if args[1].key.startswith("c00") and not works.is_set():
                await asyncio.sleep(1)
                raise OSError("no space left")
            return await execute(*args)

        host.execute = failing

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a"), read("b")], run_id="r1"))
        await until(partial(running.engine.info, "r1"), lambda info: info.state == "failed")
        works.set()
        engine: Any = running.engine
        await engine.resume("r1")
        assert (await engine.result("r1", 300)).stopped == "completed"
        assert running.marks() == ["b", "a"]

    durable.run(body, change=change)


def test_an_agent_that_was_cancelled_alone_stays_cancelled(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [write("w")], run_id="r1"))
        child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
        await running.questions(child.run_id)
        await engine.cancel(child.run_id)
        await asyncio.sleep(1.1)  # SQLite has whole seconds
        await engine.cancel("r1")
        await engine.resume("r1")
        assert (await engine.info(child.run_id)).state == "cancelled"

    durable.run(body)


def test_waiting_runs_that_are_cancelled_or_resumed_leave_nothing_behind(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        for run_id in ("cancelled", "resumed"):
            await engine.start(request([write(run_id)], run_id=run_id))
            await running.questions(run_id)
            await engine.cancel(run_id)
        await engine.resume("resumed")
        await running.questions("resumed")
        await engine.start(request([read("a")], run_id="other"))
        assert (await engine.result("other", 300)).stopped == "completed"
        await until(lambda: [*running.host._runs] == ["resumed"])

    durable.run(body, worker={"concurrency": 1})


def test_a_run_survives_any_number_of_workers_that_stop(durable: Engines) -> None:
    async def body() -> None:
        for number in range(4):
            async with durable.opened() as running:
                if not number:
                    await running.engine.start(request([write("a")], run_id="r1"))
                await running.questions("r1")
            database = sa.create_engine(durable.url)
            attributes = f"SELECT attributes FROM {runs_table(durable)}"  # noqa: S608  # one of two names
            with database.connect() as connection:
                assert "deaths" not in str(connection.execute(sa.text(attributes)).scalar())
            database.dispose()

    asyncio.run(body())


def test_a_run_that_goes_on_is_not_deleted(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("a")], run_id="r1"))
        await running.questions("r1")
        execution = running.host._runs["r1"]
        assert (await asyncio.to_thread(retention._delete, engine._tables, ["r1"], 2**60)).runs == 0
        await asyncio.sleep(0.5)
        assert running.host._runs["r1"] is execution
        assert (await engine.info("r1")).state == "waiting"

    durable.run(body)


def test_agents_are_counted_once_however_late_an_execution_before_reads_their_number(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_agents = tables.agents_of
    reads: list[str] = []
    second_is_resumed = threading.Event()

    def read_late(*args: Any) -> int:
        reads.append("")
        match len(reads):
            case 2:
                second_is_resumed.wait(60)
            case 3:
                second_is_resumed.set()
                time.sleep(0.5)  # the second one is quicker by now
            case _:
                pass
        return count_agents(*args)

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [write("w")], [AGENT], run_id="r1"))
        child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
        (asked,) = await running.questions(child.run_id)
        await engine.decide(child.run_id, asked.id, ALLOW, by="ann")
        await running.questions("r1")
        await engine.cancel("r1")
        await engine.resume("r1")
        (asked,) = await running.questions("r1")
        await engine.decide("r1", asked.id, ALLOW, by="ann")
        await until(lambda: len(reads) == 2)
        await engine.cancel("r1")
        await engine.resume("r1")
        child, *_ = await until(engine.runs, lambda runs: len(runs) == 3)
        await running.questions(child.run_id)
        assert running.host._runs["r1"].progress.children == 2

    monkeypatch.setattr(tables, "agents_of", read_late)
    durable.run(body)
