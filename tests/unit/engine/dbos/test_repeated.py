"""What is done again because the answer of the database was lost, and what others do at the same moment."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from dbos import error as dbos_errors

from tests.unit.engine.app import AGENT, read, request, write
from tests.unit.engine.engines import ALLOW, allow, asking_agent, until
from toolgen.engine.body import Retries
from toolgen.engine.dbos import schedules, tables
from toolgen.engine.dbos import worker as dbos_worker
from toolgen.engine.dbos.lease import Lease
from toolgen.engine.dbos.own_tables import WORKERS
from toolgen.engine.dbos.reading import reading
from toolgen.engine.protocol import NotResumable
from toolgen.engine.schedules import Schedule
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.unit.engine.engines import Engines, Running

ONCE = Retries(attempts=1, first=0.05, most=0.2)


def lose_first_answers(engine: Any) -> None:
    """Let the first answer to everything that an engine asks of its database be lost, so that it asks again."""
    ask = engine._with_database

    async def ask_twice(action: Callable[[], Awaitable[Any]]) -> Any:
        await ask(action)
        return await ask(action)

    engine._with_database = ask_twice


async def last_plan(running: Running, run_id: str) -> int:
    return [step.number for step in await running.engine.timeline(run_id) if step.name.startswith("plan")][-1]


def test_what_is_done_again_is_done_once_and_says_what_the_first_time_did(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        lose_first_answers(engine)
        await engine.start(request([read("a")], [write("b")], run_id="r1"))
        (asked,) = await running.questions("r1")
        await engine.cancel("r1")
        await engine.resume("r1")
        (asked,) = await running.questions("r1")
        given = await engine.decide("r1", asked.id, ALLOW, by="ann")
        assert given.by == "ann"
        assert (await engine.result("r1", 60)).stopped == "completed"
        forked = await engine.fork("r1", await last_plan(running, "r1"))
        assert (await engine.result(forked, 60)).stopped == "completed"
        assert running.marks() == ["a", "b"]
        await engine.start(request([read("waits-go-60")], run_id="r2"))
        await until(partial(engine.info, "r2"), lambda info: info.state == "waiting")
        await engine.signal("r2", "other", by="ann")
        assert len((await engine.signals("r2")).received) == 1
        await engine.set_schedule(Schedule(name="s", request=request([read("c")], run_id="x"), every=3600), by="ann")
        await engine.pause_schedule("s")
        assert [each.is_paused for each in await engine.schedules()] == [True]
        await engine.remove_schedule("s")
        assert await engine.schedules() == []
        await engine.prune(0)
        assert [info.run_id for info in await engine.runs()] == ["r2"]

    durable.run(body)


def test_a_run_that_has_ended_before_its_resumption_is_repeated_is_resumed_once(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("a")], [read("b")], [read("c")], run_id="r1", max_turns=1))
        await until(partial(engine.info, "r1"), lambda info: info.state == "failed")
        ask = engine._with_database

        async def ask_again_later(action: Callable[[], Awaitable[Any]]) -> Any:
            await ask(action)
            await until(running.marks, lambda marks: len(marks) == 2)
            await until(partial(engine.info, "r1"), lambda info: info.state == "failed")
            return await ask(action)

        with monkeypatch.context() as patched:
            patched.setattr(engine, "_with_database", _only_for("resume_run", ask, ask_again_later))
            await engine.resume("r1", turns=1)
        await asyncio.sleep(0.5)
        assert ((await engine.info("r1")).state, running.marks()) == ("failed", ["a", "b"])

    durable.run(body)


def _only_for(name: str, ask: Any, otherwise: Any) -> Any:
    """Return what asks a database: in another way for what a function of some name does."""

    async def asked(action: Callable[[], Awaitable[Any]]) -> Any:
        does = [getattr(each.cell_contents, "func", None) for each in getattr(action, "__closure__", None) or ()]
        return await (otherwise if name in [getattr(each, "__name__", "") for each in does] else ask)(action)

    return asked


def test_a_fork_of_a_run_that_is_being_deleted_is_refused(durable: Engines) -> None:
    if durable.kind == "sqlite":
        pytest.skip("a file of SQLite has one writer")

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("a")], [read("b")], run_id="r1"))
        await engine.result("r1", 60)
        step = await last_plan(running, "r1")
        database = engine._tables.tables
        with engine._tables.engine.connect() as connection:
            for table in (database.workflow_status, database.workflow_input, database.operation_outputs):
                connection.execute(sa.delete(table).where(table.c.workflow_uuid == "r1"))
            forking = asyncio.ensure_future(engine.fork("r1", step))
            await asyncio.sleep(0.5)
            assert not forking.done()
            connection.commit()
        with pytest.raises(RunNotFound):
            await forking
        assert (await engine.runs(), running.marks()) == ([], ["a", "b"])

    durable.run(body)


def test_who_cancels_a_run_waits_for_whoever_resumes_an_agent_of_it(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    if durable.kind == "sqlite":
        pytest.skip("a file of SQLite has one writer")

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [write("w")], run_id="r1"))
        child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
        await running.questions(child.run_id)
        await engine.cancel(child.run_id)
        await running.questions("r1")
        has_begun, may_end = threading.Event(), threading.Event()
        enqueue_again = tables._enqueue_again

        def slow(*args: Any) -> float:
            failed_at = enqueue_again(*args)
            has_begun.set()
            may_end.wait(30)
            return failed_at

        monkeypatch.setattr(tables, "_enqueue_again", slow)
        resuming = asyncio.ensure_future(engine.resume(child.run_id))
        await asyncio.to_thread(has_begun.wait)
        cancelling = asyncio.ensure_future(engine.cancel("r1"))
        await asyncio.sleep(0.5)
        assert not cancelling.done()
        may_end.set()
        await resuming
        await cancelling
        assert {info.state for info in await engine.runs()} == {"cancelled"}

    durable.run(body)


def test_an_agent_is_not_resumed_once_the_run_that_waited_for_it_has_ended(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        child = await asking_agent(running)
        await engine.cancel(child.run_id)
        assert (await engine.result("r1", 60)).stopped == "completed"
        with pytest.raises(NotResumable, match="is cancelled: r1, whose call started it, has ended"):
            await engine.resume(child.run_id)

    engines.run(body)


def test_a_run_that_another_worker_has_is_let_go_whatever_it_waits_for(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("until-free")], run_id="calls"))
        await engine.start(request([write("w")], run_id="asks"))
        await until(running.marks)
        await running.questions("asks")
        runs = engine._tables.tables.workflow_status

        def take() -> None:
            """Leave what a cancellation, a resumption and another worker that takes both runs leave within a second."""
            with engine._tables.engine.begin() as connection:
                connection.execute(sa.update(runs).values(owner_xid="other", executor_id="other"))
                row = {"worker": "other", "place": 1, "beats": 5}
                connection.execute(sa.insert(WORKERS).values(row))

        await asyncio.to_thread(take)
        await until(lambda: not running.worker._executions and not running.worker.activities_running)
        assert not running.host._runs

    durable.run(body)


def short_timeouts(monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
    init = Policies.__init__

    def shortened(self: Any, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        self.max_timeout_ms = milliseconds

    monkeypatch.setattr(Policies, "__init__", shortened)


def test_a_worker_that_stops_cancels_the_agent_of_a_call_whose_time_is_up(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_timeouts(monkeypatch, 3000)

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([AGENT], [write("w")], run_id="r1"))
        await until(lambda: running.count("inline"))
        running.worker._drain()
        child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
        await until(partial(engine.info, child.run_id), lambda info: info.state == "cancelled")
        steps = await until(partial(engine.timeline, "r1"), lambda steps: len(steps) == 2)
        assert steps[1].error.startswith("timeout")

    durable.run(body, retries=ONCE)


def test_a_call_that_cannot_read_its_agent_ends_it(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        child = await asking_agent(running)
        await engine.cancel("r1")
        runs = engine._tables.tables.workflow_status

        def damage() -> None:
            with engine._tables.engine.begin() as connection:
                row = sa.update(runs).where(runs.c.workflow_uuid == child.run_id)
                connection.execute(row.values(attributes=["damaged"], status="ENQUEUED", queue_name="of nobody"))

        await asyncio.to_thread(damage)
        await engine.resume("r1")
        assert (await engine.result("r1", 60)).messages[-1].is_error
        with engine._tables.engine.connect() as connection:
            status = connection.execute(sa.select(runs.c.status).where(runs.c.workflow_uuid == child.run_id)).scalar()
        assert status == "CANCELLED"

    durable.run(body, retries=ONCE)


def test_a_call_whose_agent_was_cancelled_with_its_time_says_that_and_is_not_made_again(
    engines: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_timeouts(monkeypatch, 1000)

    async def body(running: Running) -> None:
        await running.engine.start(request([AGENT], run_id="r1"))
        end = await running.engine.result("r1", 60)
        (failed,) = [message.content for message in end.messages if message.is_error]
        assert failed.startswith("the tool timed out")

    engines.run(body)


def test_a_call_waits_for_its_agent_while_the_database_is_slow(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        list_workflows = engine._client.list_workflows_async
        late: list[str] = []

        async def list_late(**options: Any) -> Any:
            (run_id,) = options.get("workflow_ids") or [""]
            if run_id.startswith("r1.") and not late:
                late.append(run_id)
                raise dbos_errors.DBOSQueryTimeoutError(1)
            return await list_workflows(**options)

        monkeypatch.setattr(engine._client, "list_workflows_async", list_late)
        await engine.start(request([AGENT], run_id="r1"))
        await until(lambda: late)
        await allow(running, "r1")
        end = await engine.result("r1", 60)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])

    durable.run(body, retries=ONCE)


def test_a_worker_whose_stop_is_cancelled_has_stopped_and_may_be_stopped_again(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("slow-5")], run_id="r1"))
        await until(running.marks)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await running.worker.stop(grace=60)
        await running.worker.stop()
        assert not dbos_worker._working
        assert not {"toolgen-lease", "toolgen-adoption"} & {thread.name for thread in threading.enumerate()}
        assert [info.lease for info in await engine.workers()] == ["left"]

    durable.run(body)


def test_a_worker_that_was_stopped_executes_runs_when_it_is_started_again(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await running.worker.stop()
        await running.engine.start(request([read("a")], run_id="r1"))
        await running.worker.start()
        assert (await running.engine.result("r1", 60)).stopped == "completed"

    durable.run(body)


def test_who_sets_a_schedule_anew_waits_for_whoever_pauses_it(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    if durable.kind == "sqlite":
        pytest.skip("a file of SQLite has one writer")

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.set_schedule(Schedule(name="s", request=request([read("a")], run_id="x"), every=3600), by="ann")
        other = Schedule(name="s", request=request([read("b")], run_id="x"), every=7200)
        setting: list[threading.Thread] = []

        def set_meanwhile(what: str) -> Any:
            if not setting:
                setting.append(threading.Thread(target=schedules.set_schedule, args=(engine._tables, other, "bob")))
                setting[0].start()
                setting[0].join(0.5)
                assert setting[0].is_alive()  # else what is paused is a schedule that is gone
            return reading(what)

        with monkeypatch.context() as patched:
            patched.setattr("toolgen.engine.dbos.schedules.reading", set_meanwhile)
            await engine.pause_schedule("s")
        await asyncio.to_thread(setting[0].join)
        (info,) = await engine.schedules()
        assert (info.schedule.every, info.is_paused) == (7200, True)

    durable.run(body)


def test_a_worker_without_its_lease_asks_no_planner(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    is_held = threading.Event()
    is_held.set()
    monkeypatch.setattr(Lease, "is_held", property(lambda _lease: is_held.is_set()))

    async def body(running: Running) -> None:
        await running.engine.start(request([read("until-free")], [read("b")], run_id="r1"))
        await until(running.marks)
        is_held.clear()
        (running.folder / "free").touch()
        await until(lambda: running.engine.timeline("r1"), lambda steps: len(steps) == 2)
        await asyncio.sleep(0.5)
        assert running.count("plan") == 1
        is_held.set()
        assert (await running.engine.result("r1", 60)).stopped == "completed"
        assert (running.count("plan"), running.marks()) == (3, ["until-free", "b"])

    durable.run(body)


def test_a_call_waits_for_a_lease_that_is_lost_while_the_database_is_asked_whose_the_run_is(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_held = threading.Event()
    is_held.set()
    monkeypatch.setattr(Lease, "is_held", property(lambda _lease: is_held.is_set()))
    is_owned = tables.is_owned
    asked: list[str] = []

    def lose_meanwhile(*args: Any) -> bool:
        if not asked:
            is_held.clear()
            threading.Timer(0.5, is_held.set).start()
        asked.append("")
        return is_owned(*args)

    monkeypatch.setattr(tables, "is_owned", lose_meanwhile)

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a")], run_id="r1", user="ann"))
        assert (await running.engine.result("r1", 60)).stopped == "completed"
        assert running.count("call") == 1  # else it began, and was given up by what guards its tool
        assert len(asked) > 1

    durable.run(body, worker={"per_user": 1})
