"""A model of workers, their leases, and a database: crashes, pauses, lost answers and clocks that differ.

Every run is executed by somebody in the end, none by two, and no death counts for a worker that lives.

Leases, watches and adoption are the real ones, on a real SQLite database in memory with the tables of DBOS. The model
has the clocks, and decides who does what next; a call is taken apart into the steps between which anything may happen.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from dbos import DBOSClient
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import event
from sqlalchemy.pool import StaticPool

from toolgen.engine.dbos.adoption import Adoption
from toolgen.engine.dbos.connections import set_up_sqlite
from toolgen.engine.dbos.database import QUEUE, RUN, JsonSerializer
from toolgen.engine.dbos.lease import Lease, NameTaken, Watch, draw_token
from toolgen.engine.dbos.own_tables import WORKERS, create_tables
from toolgen.engine.dbos.tables import ACTIVE, is_owned

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from dbos._sys_db import SystemDatabase

_STEP = 0.5
"""Seconds that pass between two things that happen."""

_RUNS = 4
_MOST_WORKERS = 5


@cache
def database() -> SystemDatabase:
    """Return a database in memory, with the tables of DBOS and of leases."""
    connections = sa.create_engine("sqlite://", poolclass=StaticPool)

    @event.listens_for(connections, "connect")
    def set_up(connection: sqlite3.Connection, _record: Any) -> None:
        set_up_sqlite(connection)

    client = DBOSClient(system_database_engine=connections, serializer=JsonSerializer(), lazy=True)
    client._sys_db.run_migrations()
    create_tables(client._sys_db.engine)
    return client._sys_db


class Execution:
    """An execution of a run by a worker, in a term of its lease; `may` says that the run was its own when it asked.

    One that `is_unseen` begins in the moment in which the lease is lost: nobody tells it.
    """

    def __init__(self, run: str, owner: str, term: int, *, is_unseen: bool = False) -> None:
        self.run, self.owner, self.term, self.is_unseen = run, owner, term, is_unseen
        self.token: int | None = None
        self.may = False
        self.has_run = True


class Worker:
    """A worker, with clocks of its own, which go a little too fast or too slow."""

    def __init__(self, name: str, rate: float, sleep: Callable[[float], object] = float) -> None:
        self.name, self.rate = name, rate
        self.now = 1000.0
        self.is_paused = self.was_paused = False
        self.executions: list[Execution] = []
        self.lease = Lease(database().engine, name, lambda: self.now)
        self.watch = Watch(database().engine, name, lambda: self.now)
        self.adoption = Adoption(database(), name, lambda _run, _why: None, lambda: self.now)
        self.lease.prepare(sleep)

    def beat(self) -> None:
        """Do what the thread of the lease does."""
        if not self.lease.is_lost and not self.lease.beat():
            for execution in self.executions:
                execution.has_run = execution.is_unseen

    def look_after_others(self) -> None:
        """Do what the thread of adoption does."""
        with suppress(NameTaken):
            self.adoption.begin_again(self.lease)
        self.adoption.take_over_dead(self.watch)
        self.adoption.search(self.lease, self.executed)

    def executed(self) -> set[str]:
        """Those that have lost their runs have noticed it by then: the next step of each would."""
        self.executions = [each for each in self.executions if is_owned(database(), each.run, each.owner)]
        return {each.run for each in self.executions if each.has_run and self.lease.holds(each.term)}


class LeaseMachine(RuleBasedStateMachine):
    """What may happen, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: list[Worker] = []
        self.numbers = count()
        self.begun: dict[str, tuple[int, str]] = {}
        self.followed: set[str] = set()
        self.runs = database().tables.workflow_status
        with database().engine.begin() as connection:
            connection.execute(sa.delete(WORKERS))
            connection.execute(sa.delete(self.runs))
            for number in range(_RUNS):
                row = {"workflow_uuid": f"r{number}", "status": "ENQUEUED", "name": RUN, "queue_name": QUEUE}
                connection.execute(sa.insert(self.runs).values(**row, executor_id=None, created_at=0, updated_at=0))
        for rate in (0.95, 1.05):
            self.workers.append(Worker(f"w{next(self.numbers)}", rate))

    @precondition(lambda self: len(self.workers) < _MOST_WORKERS)
    @rule(rate=st.floats(0.95, 1.05))
    def start(self, rate: float) -> None:
        self.workers.append(Worker(f"w{next(self.numbers)}", rate))

    @precondition(lambda self: 0 < len(self.workers) < _MOST_WORKERS)
    @rule(data=st.data(), steps=st.integers(0, 8))
    def start_by_a_name_in_use(self, data: st.DataObject, steps: int) -> None:
        """Somebody thinks that a worker has died which stands still, at some moment after its last call."""
        other = data.draw(st.sampled_from(self.workers))
        self._take(other)
        for execution in other.executions[-1:]:
            self._ask(execution)
            self._ask(execution)
        other.is_paused = other.was_paused = True
        self.wait(steps)
        try:
            follower = Worker(other.name, 1.0, lambda seconds: self.wait(int(seconds / _STEP)))
        except NameTaken:
            return
        with database().engine.begin() as connection:  # as DBOS does when it begins
            own = sa.update(self.runs).where(self.runs.c.executor_id == other.name, self.runs.c.status == "PENDING")
            connection.execute(own.values(status="ENQUEUED", owner_xid=None))
        self.workers.append(follower)
        self.followed.add(other.name)
        self._take(follower)
        other.is_paused = False
        for execution in other.executions[-1:]:
            self._begin(other, execution)
        other.beat()
        for execution in other.executions[-1:]:
            self._begin(other, execution)

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        self.workers.remove(data.draw(st.sampled_from(self.workers)))

    @precondition(lambda self: self.awake)
    @rule(data=st.data())
    def pause(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from(self.awake))
        worker.is_paused = worker.was_paused = True

    @precondition(lambda self: any(worker.is_paused for worker in self.workers))
    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from([worker for worker in self.workers if worker.is_paused])).is_paused = False

    @rule(steps=st.integers(1, 24))
    def wait(self, steps: int) -> None:
        """Time passes: those that stand still do not beat, all others do, each second or so."""
        for step in range(steps):
            for place, worker in enumerate(list(self.workers)):
                worker.now += _STEP * worker.rate
                if not worker.is_paused and (step + place) % 2 == 0:
                    worker.beat()
                    worker.look_after_others()

    @precondition(lambda self: self.awake)
    @rule(data=st.data(), was_written=st.booleans())
    def lose_the_answer_to_a_beat(self, data: st.DataObject, was_written: bool) -> None:
        worker = data.draw(st.sampled_from(self.awake))
        lease = worker.lease
        if lease.is_lost:
            return
        kept, began = lease._kept, lease._began
        if not was_written:
            lease._count += 1
        elif lease.beat():
            lease._kept, lease._began = kept, began

    @precondition(lambda self: any(worker.lease.is_lost for worker in self.awake))
    @rule(data=st.data())
    def lose_the_answer_when_a_lease_begins(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from([worker for worker in self.awake if worker.lease.is_lost]))
        began = worker.lease._began
        with suppress(NameTaken):
            worker.adoption.begin_again(worker.lease)
        worker.lease._began, worker.lease.is_lost, worker.adoption._has_returned = began, True, False

    @precondition(lambda self: self.awake)
    @rule(data=st.data())
    def lose_the_answer_when_a_run_is_taken(self, data: st.DataObject) -> None:
        self._take(data.draw(st.sampled_from(self.awake)), is_answered=False)

    @precondition(lambda self: self.awake)
    @rule(data=st.data())
    def take_a_run(self, data: st.DataObject) -> None:
        """A statement that was sent before a pause is executed whenever it arrives: the lease does not matter."""
        self._take(data.draw(st.sampled_from(self.awake)))

    @precondition(lambda self: self.awake)
    @rule(data=st.data(), steps=st.integers(0, 20), beats=st.integers(0, 2), is_unseen=st.booleans())
    def stand_still_amid_a_call(self, data: st.DataObject, steps: int, beats: int, is_unseen: bool) -> None:
        """The moment that leases are for: between the last look and the call, while others may go on."""
        worker = data.draw(st.sampled_from(self.awake))
        self._take(worker, is_unseen=is_unseen)
        for execution in worker.executions[-1:]:
            self._ask(execution)
            self._ask(execution)
            worker.is_paused = worker.was_paused = True
            self.wait(steps)
            for other in self.awake:
                self._take(other)
            worker.is_paused = False
            for _ in range(beats):
                worker.beat()
                worker.look_after_others()
            self._begin(worker, execution)

    @precondition(lambda self: len(self.awake) > 1)
    @rule(data=st.data(), steps=st.integers(12, 24))
    def go_on_and_die(self, data: st.DataObject, steps: int) -> None:
        """One that others have taken over goes on, takes a run from the queue, and dies before its next beat."""
        worker = data.draw(st.sampled_from(self.awake))
        worker.is_paused = worker.was_paused = True
        self.wait(steps)
        self._take(worker)
        self.workers.remove(worker)

    def _take(self, worker: Worker, *, is_answered: bool = True, is_unseen: bool = False) -> None:
        owner = f"x{next(self.numbers)}"
        with database().engine.begin() as connection:
            free = sa.select(self.runs.c.workflow_uuid).where(self.runs.c.status == "ENQUEUED").limit(1)
            run = connection.execute(free).scalar()
            if run is not None:
                taken = {"status": "PENDING", "executor_id": worker.name, "owner_xid": owner}
                connection.execute(sa.update(self.runs).where(self.runs.c.workflow_uuid == run).values(**taken))
                if is_answered:
                    worker.executions.append(Execution(run, owner, worker.lease.term, is_unseen=is_unseen))

    @precondition(lambda self: self.executing)
    @rule(data=st.data())
    def ask_whether_the_run_is_its_own(self, data: st.DataObject) -> None:
        self._ask(data.draw(st.sampled_from(self.executing))[1])

    def _ask(self, execution: Execution) -> None:
        if execution.token is None:
            execution.token = draw_token(database().engine)
        else:
            execution.may = is_owned(database(), execution.run, execution.owner)

    @precondition(lambda self: self.executing)
    @rule(data=st.data())
    def begin_a_call(self, data: st.DataObject) -> None:
        """It begins in the moment in which its guard lets it: nothing happens between these."""
        self._begin(*data.draw(st.sampled_from(self.executing)))

    def _begin(self, worker: Worker, execution: Execution) -> None:
        if not execution.may or not execution.has_run or not worker.lease.holds(execution.term):
            return
        execution.may = False
        assert is_owned(database(), execution.run, execution.owner), "the run is another's by now"
        assert execution.token is not None
        token, owner = self.begun.get(execution.run, (0, ""))
        assert owner == execution.owner or execution.token > token
        self.begun[execution.run] = (execution.token, execution.owner)

    @invariant()
    def nobody_who_beats_has_lost_a_lease(self) -> None:
        assert not [worker.name for worker in self.workers if worker.lease.term and not worker.was_paused]

    def teardown(self) -> None:
        own = [worker for worker in self.awake if worker.name not in self.followed]
        if not own:
            return
        self.wait(100)  # the longest are runs that nobody executes: two searches
        executed = {each.owner for worker, each in self.executing if each.has_run and worker.lease.holds(each.term)}
        with database().engine.begin() as connection:
            owners = connection.execute(sa.select(self.runs.c.owner_xid).where(self.runs.c.status == "PENDING"))
            assert {*owners.scalars()} <= executed, "nobody executes a run"
            counted = connection.execute(sa.select(self.runs.c.attributes).where(self.runs.c.status.in_(ACTIVE)))
            deaths = {name for about in counted.scalars() if about for name in about.get("deaths", ())}
        assert all(worker.lease.is_held for worker in own)
        assert not deaths & {worker.name for worker in own}, "who lives has not died"

    @property
    def awake(self) -> list[Worker]:
        return [worker for worker in self.workers if not worker.is_paused]

    @property
    def executing(self) -> list[tuple[Worker, Execution]]:
        return [(worker, execution) for worker in self.awake for execution in worker.executions]


def test_a_call_begins_only_where_its_run_is_held_and_every_run_of_the_dead_is_adopted() -> None:
    run_state_machine_as_test(LeaseMachine, settings=settings(stateful_step_count=40))
