"""Stores in processes that are forked from the one that opened them, and in those of multiprocessing."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from multiprocessing import get_context
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.programs.forks import forked, in_child
from tests.unit.record.sample import ended, one_call, result, started
from toolgen.record.postgres import PostgresReader, PostgresStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from pathlib import Path

Open: TypeAlias = Callable[[], SqliteStore | PostgresStore]


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "store.db")
    url = request.getfixturevalue("postgres_url")
    return lambda: PostgresStore(url)


def test_a_child_does_not_write_to_the_store_of_its_parent(opens: Open) -> None:
    store = opens()

    def write() -> None:
        asyncio.run(one_call(store, run="child"))

    asyncio.run(one_call(store, run="parent"))
    assert "open a store in the forked process" in in_child(write)
    asyncio.run(one_call(store, run="later"))
    assert [run.run_id for run in asyncio.run(store.runs())] == ["parent", "later"]
    asyncio.run(store.close())


def test_a_child_opens_a_store_of_its_own(opens: Open) -> None:
    store = opens()

    def write() -> None:
        own = opens()
        asyncio.run(one_call(own, run="child"))
        asyncio.run(own.close())

    asyncio.run(one_call(store, run="parent"))
    assert in_child(write) is None
    asyncio.run(one_call(store, run="later"))
    assert [run.run_id for run in asyncio.run(store.runs())] == ["parent", "child", "later"]
    asyncio.run(store.close())


def test_a_store_of_a_child_goes_on_after_its_parent_has_closed_its_own(opens: Open) -> None:
    store = opens()
    asyncio.run(one_call(store, run="parent"))
    reading, writing = os.pipe()

    def write() -> None:
        own = opens()
        asyncio.run(one_call(own, "c1", run="child"))
        os.read(reading, 1)  # until the parent has closed its store
        asyncio.run(one_call(own, "c2", run="child"))
        asyncio.run(own.close())

    with forked(write) as answer:
        asyncio.run(store.close())
        os.write(writing, b"1")
        assert answer() is None
    again = opens()
    assert [(run.run_id, run.events) for run in asyncio.run(again.runs())] == [("parent", 2), ("child", 4)]
    asyncio.run(again.close())


def test_a_parent_notices_that_its_file_was_replaced_while_it_forked(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    asyncio.run(one_call(store))
    copied = (tmp_path / "store.db").read_bytes()

    def replace() -> None:
        (tmp_path / "other.db").write_bytes(copied)
        (tmp_path / "other.db").rename(tmp_path / "store.db")

    assert in_child(replace) is None
    with pytest.raises(StoreError, match="its file was deleted, moved or replaced"):
        asyncio.run(one_call(store, "c2"))
    asyncio.run(store.close())


def test_parent_and_child_read_postgres_over_connections_of_their_own(postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    for run in ("one", "two"):
        for call in range(3 if run == "two" else 1):
            asyncio.run(one_call(store, f"c{call}", run=run))
    reader = PostgresReader(postgres_url)
    reader.runs()  # it has a connection

    def events(run: str) -> list[int]:
        return [len(reader.read(run).events) for _ in range(50)]

    with forked(lambda: events("one")) as answer:
        assert events("two") == [6] * 50
        assert answer() == [2] * 50
    assert events("two") == [6] * 50
    reader.close()
    asyncio.run(store.close())


def test_a_server_of_postgres_hears_of_the_end_of_a_parent_though_a_child_lives(postgres_url: str) -> None:
    reader = PostgresReader(postgres_url)
    reader.is_begun()
    connection = reader._connection
    assert connection is not None
    descriptor = connection.fileno()

    def is_a_socket() -> bool:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)

    assert is_a_socket()
    assert in_child(is_a_socket) is False
    assert reader.is_begun() is False
    reader.close()


def test_a_process_of_multiprocessing_ends_when_its_writes_are_on_disk(opens: Open) -> None:
    def work() -> None:
        store = opens()
        for number in range(200):  # whose writes nobody awaits
            store.append(started(f"c{number}"))
            store.finish(ended(call=f"c{number}"), result(f"c{number}"))

    process = get_context("fork").Process(target=work)
    process.start()
    process.join(30)
    store = opens()
    assert len(asyncio.run(store.read("r1")).events) == 400
    asyncio.run(store.close())
