"""Several writers of one run: processes and stores, in any order, and writers that are killed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.record.postgres.checking import intact_calls, use
from tests.unit.record.sample import KEY, done, ended, one_call, progress, result, started
from toolgen.record.chain import verify_chain
from toolgen.record.postgres import PostgresReader, PostgresStore

if TYPE_CHECKING:
    from tests.programs.postgres import PostgresServer

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("writing.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
WHOLE = ["tool_started", "tool_completed"]


def writer(url: str, name: str, calls: int, run: str = "r1") -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), url, run, name, str(calls)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)


@pytest.mark.long
def test_four_processes_write_one_run_with_one_chain(postgres_url: str) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(writer(postgres_url, name, 25)) for name in "abcd"]
        printed = [each.communicate()[0] for each in writers]
    durable = [line for text in printed for line in text.splitlines()]
    assert sorted(durable) == sorted(f"{name}.{number}" for name in "abcd" for number in range(25))
    assert intact_calls(postgres_url) == dict.fromkeys(durable, WHOLE)


def test_reg_70_writers_that_are_killed_leave_what_was_durable_and_an_intact_chain(postgres_url: str) -> None:
    durable: set[str] = set()
    for attempt in range(3):
        with ExitStack() as stack:
            writers = [stack.enter_context(writer(postgres_url, f"{attempt}{name}", 0)) for name in "ab"]
            for each in writers:
                assert each.stdout is not None
                durable |= {each.stdout.readline().strip() for _ in range(3 + attempt)}
            for each in writers:
                each.kill()
    calls = intact_calls(postgres_url)
    assert all(calls[name] == WHOLE for name in durable)
    assert all(kinds in (WHOLE, WHOLE[:1]) for kinds in calls.values())


WRITES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["r1", "r2"]), st.booleans()), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def url(shared_postgres: PostgresServer) -> str:
    return shared_postgres.new_database()


@settings(max_examples=25)
@given(writes=WRITES)
def test_any_interleaving_of_writers_keeps_every_chain_and_the_order_of_each_writer(
    url: str, writes: list[tuple[int, str, bool]]
) -> None:
    """Each write is of one of three stores, to one of two runs, and either waited for or left pending."""
    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA IF EXISTS toolgen CASCADE")

    async def write_all() -> None:
        stores = [PostgresStore(url, key=KEY) for _ in range(3)]
        for number, (which, run, waits) in enumerate(writes):
            event = progress(f"w{which}", run, n=number)
            write = stores[which].append(event) if number % 2 else stores[which].finish(event, result())
            if waits:
                await write
        for store in stores:
            await store.close()

    asyncio.run(write_all())
    reader = PostgresReader(url)
    for run in {run for _, run, _ in writes}:
        assert verify_chain(reader.chain(run), reader.head(run), KEY) == []
        found: defaultdict[str, list[int]] = defaultdict(list)
        for event in reader.read(run).events:
            found[event.tool_call_id].append(event.data["n"])
        expected: defaultdict[str, list[int]] = defaultdict(list)
        for number, (which, of_run, _) in enumerate(writes):
            if of_run == run:
                expected[f"w{which}"].append(number)
        assert found == expected
    reader.close()


def test_writers_of_many_runs_in_opposite_orders_do_not_wait_for_each_other_in_a_circle(postgres_url: str) -> None:
    runs = [f"r{number}" for number in range(40)]

    async def check(one: PostgresStore) -> None:
        other = PostgresStore(postgres_url, key=KEY)
        await asyncio.gather(
            *(one_call(one, "one", run) for run in runs), *(one_call(other, "other", run) for run in reversed(runs))
        )
        await other.close()

    use(postgres_url, check, key=KEY)
    assert all(intact_calls(postgres_url, run) == {"one": WHOLE, "other": WHOLE} for run in runs)


def test_concurrent_writes_are_committed_together(postgres_url: str) -> None:
    async def check(store: PostgresStore) -> None:
        await asyncio.gather(*(one_call(store, f"c{n}") for n in range(500)))

    use(postgres_url, check)
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT count(DISTINCT xmin::text), count(*) FROM toolgen.events").fetchone()
    assert found is not None
    assert found[1] == 1000
    assert found[0] < 50


def test_writes_of_a_run_keep_their_order_and_cancelling_a_wait_cancels_no_write(postgres_url: str) -> None:
    async def check(store: PostgresStore) -> None:
        waiting = [asyncio.ensure_future(done(store.append(started(f"c{n}")))) for n in range(20)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await done(store.finish(ended(), result()))

    use(postgres_url, check, key=KEY)
    assert list(intact_calls(postgres_url)) == [f"c{n}" for n in range(20)]


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_defaults_of_the_server_change_neither_order_nor_durability(
    shared_postgres: PostgresServer, isolation: str
) -> None:
    url = shared_postgres.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        for name, value in (("default_transaction_isolation", isolation), ("synchronous_commit", "off")):
            set_default = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {} = {}', current_database()); END $$"
            connection.execute(set_default.format(name, f"''{value}''").encode())

    async def check(one: PostgresStore) -> None:
        other = PostgresStore(url, key=KEY)
        await asyncio.gather(*(one_call(store, f"{n}", "r1") for n in range(40) for store in (one, other)))
        await other.close()
        assert one._writer._connection is not None
        shown = one._writer._connection.execute("SHOW synchronous_commit").fetchone()
        assert shown == ("on",)

    use(url, check, key=KEY)
    assert len(intact_calls(url)) == 40
