"""Leases: who is dead is told by what was seen, not by clocks, and a lease that others may doubt is not held."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from toolgen.engine.dbos.connections import LEASE, close_connections, open_connections
from toolgen.engine.dbos.lease import (
    DEAD,
    DEAD_AFTER,
    INTERVAL,
    LEASE_SECONDS,
    LEFT,
    NEIGHBOURS,
    Lease,
    NameTaken,
    Watch,
    draw_token,
    place_of,
    suspended_too,
)
from toolgen.engine.dbos.own_tables import WORKERS, create_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Engine as Connections


class Clock:
    """A clock that goes forward when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Pair:
    """Two workers on one database; the first watches the second."""

    def __init__(self, database: Connections) -> None:
        self.database = database
        self.clock, self.own = Clock(), Clock()
        self.watch = Watch(database, "first", self.clock)
        self.first, self.second = Lease(database, "first"), Lease(database, "second", self.own)
        self.first.prepare()
        self.second.prepare()
        assert self.watch.look() == []

    def after(self, seconds: float) -> list[str]:
        """Return who is dead for the first worker, which looks all the while, so many seconds later."""
        found: list[str] = []
        while seconds > 0:
            self.clock.now += min(seconds, INTERVAL)
            seconds -= INTERVAL
            found = self.watch.look()
        return found


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Connections]:
    opened = open_connections(f"sqlite:///{tmp_path / 'runs.sqlite'}", LEASE)
    create_tables(opened)
    yield opened
    close_connections(opened)


@pytest.fixture
def pair(database: Connections) -> Pair:
    return Pair(database)


def test_a_worker_that_stands_still_is_dead_after_a_while(pair: Pair) -> None:
    assert pair.after(DEAD_AFTER - 0.1) == []
    assert pair.after(0.2) == ["second"]


def test_a_worker_that_beats_is_alive_however_long_it_takes(pair: Pair) -> None:
    for _ in range(20):
        assert pair.second.beat()
        assert pair.after(DEAD_AFTER - 0.1) == []


def test_a_worker_that_was_taken_for_dead_has_lost_its_lease_and_begins_another_one(pair: Pair) -> None:
    assert pair.after(DEAD_AFTER + 0.1) == ["second"]
    assert not pair.second.beat()
    assert (pair.second.is_lost, pair.second.is_held, pair.second.term) == (True, False, 1)
    assert not pair.second.begin()  # its runs are not taken over yet
    with pair.database.begin() as connection:
        connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == "second"))
    pair.second.yield_runs()
    assert pair.after(0.1) == ["second"]  # anyone may take over what it has begun without its lease
    with pair.database.begin() as connection:
        connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == "second"))
    assert pair.second.begin()
    assert pair.second.holds(2)
    assert not pair.second.holds(1)  # what was taken without a lease
    assert not pair.second.holds(0)
    assert pair.after(DEAD_AFTER - 0.1) == []


def test_a_worker_that_beats_in_the_moment_in_which_it_is_taken_for_dead_is_alive(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Watch._neighbours

    def look_late(watch: Watch, connection: sa.Connection) -> list[tuple[str, int]]:
        found = look(watch, connection)
        connection.rollback()
        connection.close()
        assert pair.second.beat()
        return found

    pair.after(DEAD_AFTER - 0.5)
    with monkeypatch.context() as patch:
        patch.setattr(Watch, "_neighbours", look_late)
        assert pair.after(1) == []
    assert pair.second.beat()


def test_a_worker_that_left_is_dead_at_once(pair: Pair) -> None:
    pair.second.leave()
    assert pair.watch.look() == ["second"]


def test_nobody_is_dead_because_the_database_was_away(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it was, nobody could beat."""
    away = sa.create_engine("sqlite:////nowhere/runs.sqlite")
    pair.after(DEAD_AFTER - 1)
    with monkeypatch.context() as patch:
        patch.setattr(pair.watch, "_database", away)
        with pytest.raises(SQLAlchemyError):
            pair.after(1)
    assert pair.after(DEAD_AFTER - 0.1) == []
    assert pair.after(0.2 + INTERVAL) == ["second"]


def test_nobody_is_dead_because_the_one_who_looks_stood_still(pair: Pair) -> None:
    """A machine that is suspended suspends all of its workers."""
    pair.after(1)
    pair.clock.now += 1000
    assert pair.watch.look() == []
    assert pair.second.beat()
    assert pair.after(DEAD_AFTER - 0.1) == []


def test_a_lease_is_held_for_less_time_than_others_wait(pair: Pair) -> None:
    assert LEASE_SECONDS < DEAD_AFTER - INTERVAL
    assert pair.second.is_held
    pair.own.now += LEASE_SECONDS - 0.1
    assert pair.second.is_held
    pair.own.now += 0.2
    assert not pair.second.is_held
    assert pair.second.beat()  # nobody has doubted it: the lease is the same
    assert pair.second.holds(0)


def test_a_lease_counts_from_the_begin_of_a_beat_however_long_that_took(pair: Pair) -> None:
    @event.listens_for(pair.database, "commit")
    def commit_slowly(_connection: sa.Connection) -> None:
        pair.own.now += LEASE_SECONDS

    assert pair.second.beat()
    assert not pair.second.is_held


def test_a_beat_that_was_written_though_its_answer_was_lost_costs_no_lease(pair: Pair) -> None:
    @event.listens_for(pair.database, "commit")
    def lose_answer(connection: sa.Connection) -> None:
        if lost:
            connection.connection.commit()
            raise OSError(lost.pop())

    for was_written in ("the answer", "the answer again", ""):
        lost = [was_written] if was_written else []
        if lost:
            with pytest.raises(OSError, match="the answer"):
                pair.second.beat()
        else:
            assert pair.second.beat()
    assert pair.second.term == 0


def test_a_worker_whose_name_is_anothers_by_now_has_no_lease_again(pair: Pair) -> None:
    follower = Lease(pair.database, "second")
    waited: list[float] = []
    follower.prepare(sleep=waited.append)
    assert sum(waited) > LEASE_SECONDS  # for so long it may begin something
    assert not pair.second.beat()
    with pytest.raises(NameTaken):
        pair.second.yield_runs()
    assert not pair.second.begin()
    assert follower.beat()


def test_a_name_in_use_is_taken_by_nobody(pair: Pair) -> None:
    follower = Lease(pair.database, "second")
    with pytest.raises(NameTaken):
        follower.prepare(sleep=lambda _seconds: pair.second.beat())
    assert pair.second.beat()


@pytest.mark.parametrize("left", [LEFT, DEAD])
def test_a_worker_takes_its_name_from_one_that_is_noted_as_dead_meanwhile(pair: Pair, left: int) -> None:
    """Whoever finds runs of a worker without a row adds one: see `Adoption.search`."""

    def note(_seconds: float) -> None:
        with pair.database.begin() as connection:
            connection.execute(sa.update(WORKERS).where(WORKERS.c.worker == "second").values(beats=left))

    follower = Lease(pair.database, "second")
    assert follower.prepare(sleep=note) is (left == DEAD)
    assert follower.beat()
    assert not pair.second.beat()


def test_a_lease_whose_begin_was_written_though_its_answer_was_lost_is_its_own(pair: Pair) -> None:
    assert pair.after(DEAD_AFTER + 0.1) == ["second"]
    assert not pair.second.beat()
    with pair.database.begin() as connection:
        connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == "second"))
    lost = ["the answer"]

    @event.listens_for(pair.database, "commit")
    def lose_answer(connection: sa.Connection) -> None:
        if lost:
            connection.connection.commit()
            raise OSError(lost.pop())

    with pytest.raises(OSError, match="the answer"):
        pair.second.begin()
    assert not pair.second.is_held
    pair.second.yield_runs()  # no other worker has the name
    assert pair.watch.look() == ["second"]
    with pair.database.begin() as connection:
        connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == "second"))
    assert pair.second.begin()


@pytest.mark.parametrize("before", [None, LEFT, DEAD])
def test_a_name_that_was_taken_though_the_answer_was_lost_is_taken_at_once(
    database: Connections, before: int | None
) -> None:
    lease = Lease(database, "second")
    with database.begin() as connection:
        if before is not None:
            connection.execute(sa.insert(WORKERS).values(worker="second", place=0, beats=before))
    lost: list[str] = []

    @event.listens_for(database, "after_cursor_execute")
    def watch(_connection: sa.Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(("INSERT INTO toolgen_workers", "UPDATE toolgen_workers")) and not lost:
            lost.append("the answer")

    @event.listens_for(database, "commit")
    def lose_answer(connection: sa.Connection) -> None:
        if lost == ["the answer"]:
            connection.connection.commit()
            lost.append("")
            raise OSError(lost[0])

    waits: list[float] = []
    with pytest.raises(OSError, match="the answer"):
        lease.prepare(waits.append)
    assert not lease.is_held
    assert lease.prepare(waits.append) is (before == DEAD)  # as if it had been answered
    assert lease.is_held
    assert lease.beat()
    assert waits == []
    with pytest.raises(NameTaken):
        Lease(database, "second").prepare(lambda _seconds: lease.beat())


def test_workers_watch_a_few_neighbours_on_a_ring(database: Connections) -> None:
    leases = {f"w{number}": Lease(database, f"w{number}") for number in range(8)}
    for lease in leases.values():
        lease.prepare()
    clocks = {name: Clock() for name in leases}
    watches = {name: Watch(database, name, clock) for name, clock in clocks.items()}
    watched: dict[str, list[str]] = {name: [] for name in leases}
    for name, watch in watches.items():
        with database.connect() as connection:
            watched[name] = [each for each, _ in watch._neighbours(connection)]
    ring = sorted(leases, key=place_of) * 2
    assert watched == {name: ring[ring.index(name) + 1 :][:NEIGHBOURS] for name in leases}
    assert ring[:8] != sorted(leases)  # those of one host are not neighbours
    alone = Watch(database, "w9")
    with database.begin() as connection:
        connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker != "w3"))
    with database.connect() as connection:
        assert [each for each, _ in alone._neighbours(connection)] == ["w3"]
        assert watches["w3"]._neighbours(connection) == []


def test_a_worker_whose_neighbours_are_all_silent_looks_behind_them(database: Connections) -> None:
    for number in range(20):
        Lease(database, f"w{number}").prepare()
    clock = Clock()
    watch = Watch(database, "w0", clock)
    found: list[str] = []
    for _ in range(12):
        found = watch.look()
        clock.now += INTERVAL
    assert len(found) == 19


def test_a_worker_that_begins_later_is_watched(pair: Pair) -> None:
    Lease(pair.database, "third").prepare()
    assert pair.after(0.1) == []
    assert sorted(pair.after(DEAD_AFTER)) == ["second", "third"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_fencing_token_is_greater_than_all_before(
    kind: str, database: Connections, request: pytest.FixtureRequest
) -> None:
    if kind == "postgres":
        url: str = request.getfixturevalue("postgres_url").replace("postgresql://", "postgresql+psycopg://")
        database = open_connections(url, LEASE)
        create_tables(database)
    other = open_connections(database.url.render_as_string(hide_password=False), LEASE)
    Lease(database, "w").prepare()
    drawn = [draw_token(each) for each in (database, other, database, other)]
    Lease(other, "v").prepare()
    drawn.append(draw_token(database))
    assert drawn == sorted(set(drawn))
    close_connections(other)
    close_connections(database)


@pytest.mark.long
def test_the_clock_of_a_lease_goes_on_in_a_process_that_stands_still() -> None:
    """The test stops a child; a machine that is suspended cannot be tested here, and Linux has a clock for it."""
    program = (
        "import json, os, signal, time; from toolgen.engine.dbos.lease import suspended_too\n"
        "began = suspended_too(); print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP)\n"
        "print(json.dumps(suspended_too() - began), flush=True)"
    )
    began = suspended_too()
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        stopped = suspended_too()
        while "T (stopped)" not in _status_of(child.pid):
            pass
        while suspended_too() - stopped < 0.3:
            pass
        child.send_signal(18)
        assert 0.3 <= json.loads(child.stdout.readline()) <= suspended_too() - began


def _status_of(pid: int) -> str:
    from pathlib import Path

    return Path(f"/proc/{pid}/status").read_text()
