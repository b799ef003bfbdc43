"""What belongs to one process, in others that are forked from it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.programs.forks import in_child
from toolgen.record.memory import MemoryStore
from toolgen.runtime.base import postgres
from toolgen.runtime.base.background_loop import BackgroundLoop
from toolgen.runtime.base.loops import OfLoop
from toolgen.runtime.base.postgres import PostgresDatabase, Watchdog
from toolgen.runtime.base.processes import ForkSafeLock, at_exit, at_fork, not_at_exit
from toolgen.runtime.events.records import EventKind, NewEvent
from toolgen.runtime.policy.rate_limits import MemoryCounters

if TYPE_CHECKING:
    from pathlib import Path

SEEN: list[str] = []


class Owner:
    def __init__(self, name: str) -> None:
        self.name = name
        at_fork(before=self.before, after_in_parent=self.in_parent, after_in_child=self.in_child)

    def before(self) -> None:
        SEEN.append(f"before {self.name}")

    def in_parent(self) -> None:
        SEEN.append(f"parent {self.name}")

    def in_child(self) -> None:
        SEEN.append(f"child {self.name}")


class Failing:
    def __init__(self) -> None:
        at_fork(after_in_child=self.fail)

    def fail(self) -> None:
        raise ValueError("no")


async def answered() -> str:
    return "answered"


def test_objects_are_told_of_forks_as_long_as_they_live() -> None:
    SEEN.clear()
    owner, gone = Owner("a"), Owner("b")
    del gone
    gc.collect(0)
    assert in_child(lambda: SEEN) == ["before a", "child a"]
    assert SEEN == ["before a", "parent a"]
    assert owner.name == "a"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_all_are_told_of_a_fork_though_one_fails() -> None:
    SEEN.clear()
    owners = [Failing(), Owner("a"), Failing(), Owner("b")]
    seen = in_child(lambda: SEEN)
    assert {"child a", "child b"} <= {*seen}
    assert len(owners) == 4


def test_a_loop_that_goes_on_in_a_child_has_another_value_there() -> None:
    values, loop = OfLoop[str](None), asyncio.new_event_loop()

    async def value(name: str) -> str:
        return values.get_or_make(lambda: name)

    assert loop.run_until_complete(value("parent")) == "parent"
    assert in_child(lambda: loop.run_until_complete(value("child"))) == "child"
    assert loop.run_until_complete(value("later")) == "parent"
    loop.close()


def test_a_background_loop_works_in_a_child_that_is_forked_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, starting, forked = BackgroundLoop(), threading.Event(), threading.Event()
    start = threading.Thread.start

    def slow(thread: threading.Thread) -> None:
        if thread.name == "toolgen-sync-calls":
            starting.set()
            forked.wait(60)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", slow)
    caller = threading.Thread(target=lambda: loop.run(answered()))
    start(caller)
    assert starting.wait(10)
    monkeypatch.undo()
    try:
        assert in_child(lambda: loop.run(answered())) == "answered"
    finally:
        forked.set()
        caller.join()
    assert loop.run(answered()) == "answered"


def test_a_background_loop_works_in_a_child_that_its_own_thread_forks() -> None:
    loop = BackgroundLoop()

    async def fork() -> str:
        answer: str = in_child(lambda: loop.run(answered()))
        return answer

    assert loop.run(fork()) == "answered"


def test_counters_work_in_a_child_that_is_forked_while_a_thread_counts() -> None:
    counters = MemoryCounters()
    with counters._lock:
        assert in_child(lambda: counters.take("own.tool", "ann", datetime.now(UTC), 0, 1)) == 0


def test_a_lock_that_another_thread_holds_is_free_in_a_child() -> None:
    lock, is_held, is_over = ForkSafeLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            is_held.set()
            is_over.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_held.wait(60)
    assert not lock.acquire(timeout=0)
    assert in_child(lambda: lock.acquire(timeout=0))
    assert not lock.acquire(timeout=0)
    is_over.set()
    holder.join(60)
    assert lock.acquire(timeout=0)


def test_a_lock_of_the_thread_that_forks_stays_its_own_in_the_child() -> None:
    lock = ForkSafeLock()

    def is_taken_by_another() -> bool:
        taken: list[bool] = []
        other = threading.Thread(target=lambda: taken.append(lock.acquire(timeout=0)))
        other.start()
        other.join(60)
        return taken[0]

    def work() -> list[bool]:
        held = is_taken_by_another()
        lock.release()
        return [held, is_taken_by_another()]

    with lock:
        assert in_child(work) == [False, True]


def test_a_store_in_memory_is_read_in_a_child_that_is_forked_while_a_thread_notes_its_rows() -> None:
    store = MemoryStore()
    for number in range(3):
        store.append(NewEvent(EventKind.TOOL_STARTED, f"r{number}"))
    asyncio.run(store.runs())
    store._places["r0"].append(7)  # half noted
    with store._placing:
        assert in_child(lambda: [run.events for run in asyncio.run(store.runs())]) == [1, 1, 1]


def test_a_watchdog_starts_a_thread_in_a_child(postgres_url: str) -> None:
    watchdog, database = Watchdog(), PostgresDatabase(postgres_url, timeout=5)

    def threads() -> list[str]:
        with database.connect(watchdog):
            return [thread.name for thread in threading.enumerate()]

    assert "toolgen-postgres-watchdog" in threads()
    assert "toolgen-postgres-watchdog" in in_child(threads)


@pytest.mark.slow
def test_the_thread_of_a_watchdog_ends_and_is_started_again(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_IDLE", 0.05)
    monkeypatch.setattr(postgres, "_GRACE", 0.1)
    watchdog, database = Watchdog(), PostgresDatabase(postgres_url, timeout=2)  # until which it looks
    before = {*threading.enumerate()}  # watchdogs of other tests may still wait
    for _ in range(2):
        database.connect(watchdog).close()
        for thread in {*threading.enumerate()} - before:
            if thread.name == "toolgen-postgres-watchdog":
                thread.join(60)
                assert not thread.is_alive()
    connection = database.connect(watchdog)
    with pytest.raises(psycopg.OperationalError), watchdog.watch(connection, -1):
        connection.execute("SELECT pg_sleep(60)")
    connection.close()


def test_what_is_done_at_the_exit_is_done_in_processes_of_multiprocessing(tmp_path: Path) -> None:
    def work() -> None:
        at_exit(lambda: (tmp_path / "kept").write_text(""))
        taken_back = (tmp_path / "taken back").touch
        at_exit(taken_back)
        not_at_exit(taken_back)

    process = get_context("fork").Process(target=work)
    process.start()
    process.join(30)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_program_without_multiprocessing_does_not_import_it() -> None:
    program = """
        import sys
        from toolgen.runtime.base.processes import at_exit
        at_exit(lambda: print("ended"))
        print("multiprocessing" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "ended"]
