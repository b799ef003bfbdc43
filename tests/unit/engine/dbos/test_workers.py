"""Workers: runs go on where the process that executed them has ended, died, or was stopped."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from tests.unit.engine import app
from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import Engines, LateEngine, until
from toolgen.engine import RunFailed
from toolgen.engine.dbos import DbosWorker, database_url
from toolgen.engine.dbos.lease import Lease, NameTaken
from toolgen.engine.dbos.own_tables import create_tables
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.engine import RunRequest

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


def marks(workers: Workers, columns: str = "path", table: str = "attempts") -> list[Any]:
    try:
        return [row[0] for row in app.rows(workers.folder, f"SELECT {columns} FROM {table}")]  # noqa: S608  # names in tests
    except Exception as error:  # noqa: BLE001  # no worker has made the table yet
        assert "no such table" in str(error)  # noqa: PT017  # only this error is expected
        return []


def test_a_question_of_one_process_is_answered_by_another_and_the_run_resumed_by_a_third(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        async with workers.opened() as engine:
            run_id = await engine.start(request([read("a"), write("b")], [read("c")], answer=7, user="ann"))
            asked = await until(partial(engine.approvals, run_id))
            assert workers.stop(first) == 0
            assert f"worker {first} stops" in workers.said(first)

            listed = workers.command("runs", "list", "--state", "waiting", "--format", "json")
            assert [run["run_id"] for run in json.loads(listed.stdout)] == [run_id]
            shown = workers.command("runs", "show", run_id)
            assert f"asks {asked[0].id}: code.write_file" in shown.stdout
            assert f"\n  folder: {asked[0].question['cwd']}\n" in shown.stdout
            assert "\n  because: write" in shown.stdout
            answered = workers.command("runs", "approve", run_id)
            (given,) = await engine.answers(run_id)
            assert answered.returncode == 0
            assert answered.stderr.startswith(f"{run_id}: {given}\n")
            assert marks(workers) == ["a"]

            workers.start()
            end = await engine.result(run_id, 300)
            assert (end.stopped, end.value) == ("completed", 7)
            assert marks(workers) == ["a", "b", "c"]
            timeline = workers.command("runs", "show", run_id, "--timeline").stdout
            assert re.search(r"completed after 3 turns: 7", timeline)
            assert timeline.count("  call code.") == 4  # the write was asked for, and then made

    asyncio.run(body())


def test_the_runs_of_a_killed_worker_are_taken_over(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        async with workers.opened() as engine:
            ids = [await engine.start(request([write(f"slow-30.{n}"), read("b")], [read("c")])) for n in range(3)]
            for run_id in ids:
                asked = await until(partial(engine.approvals, run_id))
                await engine.decide(run_id, asked[0].id, ALLOW, by="ann")
            await until(lambda: len(marks(workers)) == 3)
            second = workers.start()
            await until(lambda: "executes runs" in workers.said(second))
            workers.kill(first)

            async def is_taken_over() -> bool:
                return all([(await engine.info(run_id)).worker == second for run_id in ids])

            await until(is_taken_over)  # in ten seconds, as the long suite measures
            await until(lambda: len(marks(workers)) == 6)
            keys = marks(workers, "key")
            assert len(keys) == 6
            assert len(set(keys)) == 3  # the calls that were cut off are made again, with the same keys

    asyncio.run(body())


def test_a_stopped_worker_lets_calls_end_and_begins_nothing(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        async with workers.opened() as engine:
            run_id = await engine.start(request([read("until-stopping")], [read("next")]))
            await until(lambda: marks(workers) == ["until-stopping"])
            stopped = asyncio.create_task(asyncio.to_thread(workers.stop, first))
            await until(lambda: f"worker {first} stops: 1 activities are running" in workers.said(first))
            (workers.folder / "stopping").touch()
            assert await stopped == 0
            assert marks(workers) == ["until-stopping"]
            workers.start()
            assert (await engine.result(run_id, 300)).stopped == "completed"
            assert marks(workers) == ["until-stopping", "next"]

    asyncio.run(body())


def test_an_agent_of_a_killed_worker_is_the_same_run_afterwards(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        async with workers.opened() as engine:
            run_id = await engine.start(request([search([("router.web_search", {"query": "until-killed"})])]))
            child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
            (asked,) = await until(partial(engine.approvals, child.run_id))
            await engine.decide(child.run_id, asked.id, ALLOW, by="ann")
            await until(lambda: marks(workers) == ["until-killed"])
            workers.kill(first)
            (workers.folder / "killed").touch()
            workers.start()
            end = await engine.result(run_id, 300)
            assert not end.messages[-1].is_error
            assert len(await engine.runs()) == 2
            assert marks(workers) == ["until-killed", "until-killed"]

    asyncio.run(body())


OLD: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("new", "stopped", "reason"),
    [
        ({**OLD, "properties": {**OLD["properties"], "more": {"type": "integer"}}}, "completed", ""),
        (
            {**OLD, "required": ["title"], "properties": {**OLD["properties"], "title": {"type": "string"}}},
            "tool_changed",
            "own.note has changed, and does not take these args any more: ",
        ),
        (None, "tool_changed", "own.note is not a tool of this run any more"),
    ],
    ids=["takes the args", "does not take them", "is gone"],
)
@pytest.mark.variants(1)
def test_a_run_whose_tool_has_changed_goes_on_or_stops_with_a_reason(
    new: dict[str, Any] | None, stopped: str, reason: str, tmp_path: Path
) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened(own=OLD) as running:
            run_id = await running.engine.start(request([("own.note", {"text": "x"})]))
            (asked,) = await running.questions(run_id)
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            async with asyncio.timeout(20):
                assert (await running.engine.result(run_id)).stopped == "completed"
            waits = await running.engine.start(request([("own.note", {"text": "x"})]))
            (asked,) = await running.questions(waits)
        async with engines.opened(own=new) as running:
            await running.questions(waits)
            await running.engine.decide(waits, asked.id, ALLOW, by="ann")
            if stopped == "completed":  # what was allowed was the tool of before, so this one is asked about
                (again,) = await until(lambda: running.engine.approvals(waits))
                assert again.id != asked.id
                await running.engine.decide(waits, again.id, ALLOW, by="ann")
            end = await running.engine.result(waits, 300)
            assert end.stopped == stopped
            assert end.reason.startswith(reason)
            assert running.count("plan") == (1 if stopped == "completed" else 0)

    asyncio.run(body())


def test_two_workers_in_one_process_are_refused(tmp_path: Path) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened() as running:
            other = DbosWorker(running.host, engines.url)
            with pytest.raises(RuntimeError, match="this process has a worker already"):
                await other.start()

    asyncio.run(body())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"concurrency": 0}, "concurrency is 0; it must be at least 1"),
        ({"per_user": 0}, "per_user is 0; it must be at least 1"),
        ({"per_tool": {"code.read_file": 0}}, "code.read_file is 0; it must be at least 1"),
        *(
            ({"per_tool": {tool: 1}}, f"per_tool: {tool} starts agents, and its calls wait for these: bound the tools")
            for tool in (app.SEARCH, "agent.create_sub_agent", "agent.fork_agent", "agent.dispatch_worker")
        ),
    ],
)
def test_a_worker_takes_sensible_bounds_only(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    late: Any = LateEngine()
    made = app.host(late, tmp_path)
    with pytest.raises(ValueError, match=message):
        DbosWorker(made, "sqlite:///x", **settings)


@pytest.mark.parametrize(
    ("settings", "most"), [({"per_tool": {"code.read_file": 2}}, 2), ({"per_user": 1}, 1)], ids=["tool", "user"]
)
def test_calls_at_a_time_are_bounded_by_tool_and_by_user(settings: dict[str, Any], most: int, tmp_path: Path) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened(worker=settings) as running:
            ids = [await running.engine.start(request([read("slow-0.3")] * 2, user="ann")) for _ in range(2)]
            at_a_time = 0
            ended = asyncio.gather(*(running.engine.result(each, 300) for each in ids))
            while not ended.done():
                at_a_time = max(at_a_time, running.host.at_a_time)
                await asyncio.sleep(0.02)
            assert at_a_time == most

    asyncio.run(body())


def test_the_state_of_a_run_says_who_executes_it(tmp_path: Path) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened(worker={"name": "mine"}) as running:
            run_id = await running.engine.start(request([read("a")]))
            await running.engine.result(run_id, 300)
            assert (await running.engine.info(run_id)).worker == "mine"

    asyncio.run(body())


def test_a_stopped_worker_cancels_no_agent_that_waits_for_a_person(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        async with workers.opened() as engine:
            run_id = await engine.start(request([search([("router.web_search", {"query": "x"})])]))
            child, _ = await until(engine.runs, lambda runs: len(runs) == 2)
            (asked,) = await until(partial(engine.approvals, child.run_id))
            assert await asyncio.to_thread(workers.stop, first) == 0
            workers.start()
            await engine.decide(child.run_id, asked.id, ALLOW, by="ann")
            end = await engine.result(run_id, 300)
            assert not end.messages[-1].is_error
            assert marks(workers) == ["x"]

    asyncio.run(body())


def test_an_answer_for_the_session_holds_in_another_run_after_a_restart(tmp_path: Path, postgres_url: str) -> None:
    from toolgen.runtime import Session
    from toolgen.runtime.policy.grants.postgres import PostgresGrants

    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        for is_first in (True, False):
            grants = PostgresGrants(postgres_url)

            def session(asked: RunRequest, grants: PostgresGrants = grants) -> Session:
                return Session(grants.of(asked.user, asked.session_id or asked.run_id))

            async with engines.opened(session=session) as running:
                run_id = await running.engine.start(request([write("a")], user="ann", session_id="s"))
                if is_first:
                    (asked,) = await running.questions(run_id)
                    lasting = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
                    await running.engine.decide(run_id, asked.id, lasting, by="ann")
                assert (await running.engine.result(run_id, 300)).stopped == "completed"
                other = await running.engine.start(request([write("a")], user="bo", session_id="s"))
                await running.questions(other)
            await grants.aclose()

    asyncio.run(body())


def test_two_running_workers_have_two_names(workers: Workers) -> None:
    first = workers.start()
    asyncio.run(until_executes(workers, first))
    second = workers.command("worker", "tests.unit.engine.app:host", "--name", first)
    assert second.returncode == 2
    assert f"--name: a running worker is called {first!r}: each needs a name of its own" in second.stderr
    workers.kill(first)
    again = workers.start("tests.unit.engine.app:host", "--name", first)
    asyncio.run(until_executes(workers, again))


def test_a_worker_whose_name_was_taken_while_it_stood_still_ends_and_leaves_the_runs(workers: Workers) -> None:
    async def body() -> None:
        first = workers.start()
        await until_executes(workers, first)
        async with workers.opened() as engine:
            begun = await engine.start(request([read("slow-600")]))
            await until(lambda: marks(workers) == ["slow-600"])
            frozen = workers.running[first]
            frozen.send_signal(signal.SIGSTOP)
            second = workers.start("tests.unit.engine.app:host", "--name", first)
            await until_executes(workers, second)

            frozen.send_signal(signal.SIGCONT)

            assert await asyncio.to_thread(frozen.wait, 60) == 1
            assert f"another process has the name {first}, and its runs: give each worker" in workers.said(first)
            assert [worker.name for worker in await engine.workers()] == [first]
            await until(lambda: marks(workers) == ["slow-600"] * 2)
            await engine.cancel(begun)
            later = await engine.start(request([read("a")]))
            assert (await engine.result(later, 300)).stopped == "completed"

    asyncio.run(body())


async def until_executes(workers: Workers, name: str) -> None:
    await until(lambda: "executes runs" in workers.said(name))


def test_of_two_workers_that_start_at_once_one_has_the_name(tmp_path: Path) -> None:
    database = sa.create_engine(database_url(tmp_path / "runs.sqlite"))
    create_tables(database)
    try:
        first, second = Lease(database, "w"), Lease(database, "w")
        count = second._read

        def count_and_be_late() -> int | None:
            found = count()
            first.prepare()
            return found

        vars(second)["_read"] = count_and_be_late
        with pytest.raises(NameTaken, match="a running worker is called 'w'"):
            second.prepare()
        assert first.beat()
    finally:
        database.dispose()


def test_a_worker_without_a_database_that_it_can_write_to_says_so(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    workers = Workers(str(tmp_path / "a folder"), tmp_path)
    refused = workers.command("worker", "tests.unit.engine.app:host")
    assert refused.returncode == 2
    assert "--database: the database of the runs cannot be prepared: OperationalError: unable to open" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_worker_without_permission_says_so(postgres_url: str, tmp_path: Path) -> None:
    database = sa.create_engine(database_url(postgres_url))
    with database.begin() as connection:
        connection.execute(sa.text("CREATE ROLE weak LOGIN"))
    database.dispose()
    weak = sa.make_url(postgres_url).set(username="weak").render_as_string(hide_password=False)
    refused = Workers(weak, tmp_path).command("worker", "tests.unit.engine.app:host")
    assert refused.returncode == 2
    assert "cannot be prepared: InsufficientPrivilege: permission denied for database" in refused.stderr


def test_what_runs_say_is_not_in_the_log_of_a_database_that_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened() as running:
            run_id = await running.engine.start(request([read("until-broken")], answer="hunter2-hunter2"))
            await until(running.marks)
            database = sa.create_engine(engines.url)
            with database.begin() as connection:
                connection.execute(sa.text(BROKEN))
            database.dispose()
            (tmp_path / "broken").touch()
            with pytest.raises(RunFailed, match="it is broken"):
                await running.engine.result(run_id, 300)

    asyncio.run(body())
    assert "it is broken" in caplog.text
    assert "hunter2" not in caplog.text


BROKEN = (
    "CREATE TRIGGER broken BEFORE INSERT ON operation_outputs WHEN NEW.output LIKE '%hunter2%' "
    "BEGIN SELECT RAISE(ABORT, 'it is broken'); END"
)


def test_a_cancelled_run_is_no_error_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def body() -> None:
        engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
        async with engines.opened() as running:
            run_id = await running.engine.start(request([read("slow-30")]))
            await until(running.marks)
            await running.engine.cancel(run_id)
            await until(lambda: not running.host._runs)
            await running.engine.result(await running.engine.start(request([read("b")])), 20)

    asyncio.run(body())
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
