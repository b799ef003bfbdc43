"""A database that is away for a moment, at any moment, or takes no writes: nothing of a run is lost."""

from __future__ import annotations

import asyncio
import logging
import random
import resource
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from dbos._dbos import _get_dbos_instance
from sqlalchemy import event

from tests.unit.engine.app import read, request, search
from tests.unit.engine.engines import Engines, retrying_threads, until

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from tests.unit.engine.engines import Running


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_runs_go_on_when_the_database_is_back(seed: int, postgres_server: PostgresServer, tmp_path: Path) -> None:
    moments = random.Random(seed)

    async def body(running: Running) -> None:
        turns = [[read(f"slow-{moments.uniform(0, 0.3)}")] for _ in range(8)]
        ids = [
            await running.engine.start(request(*turns, [search()], answer=number, run_id=f"r{number}"))
            for number in range(8)
        ]
        for immediate, seconds in ((True, 0.1), (False, 2.5)):  # DBOS tries again after one or two
            await asyncio.sleep(moments.uniform(0.1, 0.6))
            await asyncio.to_thread(postgres_server.stop, immediate=immediate)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(postgres_server.start)
        ends = [await running.engine.result(run_id, 300) for run_id in ids]
        assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(8)]
        assert not [message for end in ends for message in end.messages if message.is_error]

    Engines("postgres", postgres_server.new_database(), tmp_path).run(body)


def test_a_worker_says_in_one_line_that_its_database_is_away(
    postgres_server: PostgresServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(_running: Running) -> None:
        await asyncio.to_thread(postgres_server.stop)
        await until(lambda: said("cannot reach its database"), lambda found: len(found) > 1)
        await until(lambda: said("could not look after runs of others"), bool)
        await asyncio.to_thread(postgres_server.start)

    def said(text: str) -> list[logging.LogRecord]:
        return [each for each in caplog.records if each.name == "toolgen" and text in each.getMessage()]

    Engines("postgres", postgres_server.new_database(), tmp_path).run(body)
    for record in said(""):
        assert "\n" not in record.getMessage()
        assert (record.exc_info, record.exc_text) == (None, None)
    first, *_ = said("cannot reach its database")
    assert "OperationalError" in first.getMessage() or "AdminShutdown" in first.getMessage()


def test_what_has_been_closed_tries_no_longer_to_reach_a_database(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """Neither the thread of a program that waits for the end of a run, nor that of a worker which writes an outcome."""

    async def body(running: Running) -> None:
        await running.engine.start(request([read("slow-0.5")], run_id="r"))
        end = asyncio.create_task(running.engine.result("r"))
        await until(running.marks)
        await asyncio.to_thread(postgres_server.stop)
        await until(retrying_threads, lambda names: len(names) > 1)  # that of the program, and that of the worker
        end.cancel()

    Engines("postgres", postgres_server.new_database(), tmp_path).run(body)
    asyncio.run(until(retrying_threads, lambda names: not names, seconds=120))


@pytest.mark.parametrize("name", ["call code.read_file", "toolgen.run"])
def test_an_outcome_for_which_there_is_no_connection_is_written_when_there_is_one(
    name: str, prepared_url: str, tmp_path: Path
) -> None:
    """Between the failure to write an outcome and what DBOS then writes instead, the database may come back."""
    threads: list[int] = []

    async def body(running: Running) -> None:
        database = _get_dbos_instance()._sys_db
        writes = {"call code.read_file": "record_operation_result", "toolgen.run": "update_workflow_outcome"}
        write = getattr(database, writes[name])

        def refuse(*_args: object) -> None:
            if threads == [get_ident()]:
                threads.append(0)
                raise psycopg.OperationalError("connection is bad: no such file")

        def write_without_connection(*args: Any, **options: Any) -> Any:
            if not threads and (args[0] == "r" or args[0]["function_name"].startswith(name)):
                threads.append(get_ident())
            return write(*args, **options)

        event.listen(database.engine, "do_execute", refuse)
        setattr(database, writes[name], write_without_connection)
        await running.engine.start(request([read("a")], run_id="r"))
        end = await running.engine.result("r", 300)
        assert len(threads) == 2
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])

    Engines("postgres", prepared_url, tmp_path, is_prepared=True).run(body)


def test_an_outcome_that_finds_the_disk_full_is_written_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([read("until-full")], answer="x" * 20_000, run_id="r"))
        await until(running.marks)
        with no_file_larger_than(largest_file(tmp_path)), monkeypatch.context() as patch:
            patch.setattr(logging.getLogger("dbos"), "propagate", True)
            (tmp_path / "full").touch()
            await until(lambda: "full" in caplog.text or "disk I/O error" in caplog.text)
        end = await running.engine.result("r", 300)
        assert (end.stopped, [message.content for message in end.messages if message.is_error]) == ("completed", [])
        assert running.marks() == ["until-full"]

    Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path).run(body)


def largest_file(folder: Path) -> int:
    return max(each.stat().st_size for each in folder.glob("runs.sqlite*"))


@contextmanager
def no_file_larger_than(size: int) -> Generator[None]:
    """Let no file grow beyond a size, in bytes: to SQLite this is as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
