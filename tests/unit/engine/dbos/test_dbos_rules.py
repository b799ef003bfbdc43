"""The rules of DBOS that the engine rests on. A new version of DBOS that changes one fails here first.

Each test says what of the engine would break. They use the tables as a worker does, without one: `claimed` is what a
worker does with the queue, and `executing` is the context in which it executes a run.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from itertools import count
from time import time
from typing import TYPE_CHECKING, Any, Final

import pytest
import sqlalchemy as sa
from dbos import error as dbos_errors
from dbos._context import DBOSContext, _set_local_dbos_context, current_owner_xid, get_local_dbos_context
from dbos._core import ActiveWorkflowById
from dbos._serialization import WorkflowSerializationFormat
from dbos._sys_db import db_retry
from dbos._utils import LoopAwareEvent
from sqlalchemy import exc

from toolgen.engine.dbos import database_url, prepare_database
from toolgen.engine.dbos.database import (
    APPLICATION,
    BY_PROGRAM,
    RUN,
    VERSION,
    Failure,
    close_client,
    open_client,
    retry_lost_connections,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dbos._sys_db import SystemDatabase

    from tests.programs.postgres import PostgresServer

_NUMBERS: Final = count()
STEP: Final = "call code.read_file"


class Rules:
    """A database of runs, and what a worker does in it, with a queue of its own for each test."""

    def __init__(self, url: str) -> None:
        prepare_database(url)
        self.client: Final = open_client(url)
        self.database: Final[SystemDatabase] = self.client._sys_db
        self.queue = ""
        self.new_queue()

    def new_queue(self, **limits: Any) -> None:
        self.queue = f"queue{next(_NUMBERS)}"
        self.client.register_queue(self.queue, **limits)

    def enqueued(self, *, version: str = VERSION, **options: Any) -> str:
        """Enqueue a run, as an engine does, and return its id."""
        run_id = f"r{next(_NUMBERS)}"
        given: Any = {
            "workflow_name": RUN,
            "queue_name": self.queue,
            "workflow_id": run_id,
            "app_version": version,
            "application_name": APPLICATION,
            **options,
        }
        self.client.enqueue(given, {"messages": []})
        return run_id

    def claimed(self, owner: str, worker: str = "w1", running: int = 0) -> list[str]:
        """Take runs from the queue, as a worker does."""
        queue: Any = self.database.get_queue(self.queue)
        self.database.app_name = APPLICATION
        return self.database.start_queued_workflows(queue, worker, VERSION, None, running, owner_xid=owner)[0]

    def one(self, owner: str = "o1", **options: Any) -> str:
        """Return a run that an execution has."""
        run_id = self.enqueued(**options)
        assert self.claimed(owner) == [run_id]
        return run_id

    def row(self, run_id: str) -> Any:
        runs = self.database.tables.workflow_status
        with self.database.engine.begin() as connection:
            return connection.execute(sa.select(runs).where(runs.c.workflow_uuid == run_id)).one()

    def steps(self, run_id: str) -> list[Any]:
        steps = self.database.tables.operation_outputs
        with self.database.engine.begin() as connection:
            found = sa.select(steps).where(steps.c.workflow_uuid == run_id).order_by(steps.c.function_id)
            return [*connection.execute(found)]

    def record(self, run_id: str, owner: str, *, output: str = "1", at: int = 1, step: int = 1) -> None:
        """Keep the outcome of a step."""
        self.database.record_operation_result(
            {
                "workflow_uuid": run_id,
                "function_id": step,
                "function_name": STEP,
                "output": output,
                "error": None,
                "serialization": None,
                "started_at_epoch_ms": 0,
                "child_workflow_id": None,
            },
            completed_at_epoch_ms=at,
            owner_xid=owner,
        )


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_rules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rules]:
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("shared_postgres")
        found = Rules(database_url(server.new_database()))
    else:
        found = Rules(database_url(tmp_path_factory.mktemp("rules") / "runs.sqlite"))
    yield found
    close_client(found.client)


@pytest.fixture
def rules(shared_rules: Rules) -> Rules:
    """Return a database of each kind, with a queue that nothing is in."""
    shared_rules.new_queue()
    return shared_rules


@contextmanager
def executing(run_id: str, owner: str) -> Generator[None]:
    """Be in the execution of a run, as a context."""
    before, context = get_local_dbos_context(), DBOSContext()
    context.workflow_id, context.owner_xid = run_id, owner
    _set_local_dbos_context(context)
    try:
        yield
    finally:
        _set_local_dbos_context(before)


def test_whoever_takes_a_run_is_its_owner_and_one_attempt_is_counted(rules: Rules) -> None:
    """Else an execution could not be told from another: the token is what the engine compares."""
    run_id = rules.enqueued()
    assert rules.row(run_id).owner_xid is None
    assert rules.claimed("o1", "w1") == [run_id]
    row = rules.row(run_id)
    assert (row.status, row.owner_xid, row.executor_id, row.recovery_attempts) == ("PENDING", "o1", "w1", 1)
    assert rules.database.get_workflow_owner(run_id) == "o1"
    assert rules.claimed("o2", "w2") == []


def test_runs_are_taken_by_priority_and_then_by_age(rules: Rules) -> None:
    """Else runs that wait for agents would keep these from being executed."""
    by_program = [rules.enqueued(priority=BY_PROGRAM) for _ in range(2)]
    by_call = rules.enqueued()
    assert rules.claimed("o1") == [by_call, *by_program]


def test_no_more_runs_are_taken_than_a_worker_executes_at_a_time(rules: Rules) -> None:
    """Else `concurrency` would bound nothing; what is running is what `ActiveRuns` counts."""
    rules.new_queue(worker_concurrency=2)
    first, _ = rules.enqueued(), rules.enqueued()
    assert rules.claimed("o1", running=1) == [first]
    assert rules.claimed("o1", running=2) == []
    assert ActiveWorkflowById().count_for_queue(rules.queue) == 0


def test_a_run_of_another_version_is_not_taken(rules: Rules) -> None:
    """Else a program of another kind on the same database would execute our runs."""
    rules.enqueued(version="another")
    assert rules.claimed("o1") == []


def test_the_outcome_of_a_step_is_written_by_the_owner_only(rules: Rules) -> None:
    """Else an execution that has lost its run would decide what a call resulted in."""
    run_id = rules.one()
    with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        rules.record(run_id, "o2")
    assert rules.steps(run_id) == []
    with executing(run_id, "o2"):
        assert current_owner_xid(run_id) == "o2"
        with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
            rules.record(run_id, current_owner_xid(run_id) or "")
    rules.record(run_id, "o1")
    assert [step.output for step in rules.steps(run_id)] == ["1"]


def test_the_outcome_of_a_step_may_be_written_twice_by_a_retry_and_not_by_another_call(rules: Rules) -> None:
    """Else a write whose answer was lost would fail the run, or one step would have two outcomes."""
    run_id = rules.one()
    rules.record(run_id, "o1", at=5)
    rules.record(run_id, "o1", at=5)
    with pytest.raises(dbos_errors.DBOSStepNondeterminismError):
        rules.record(run_id, "o1", output="2", at=6)
    assert [step.output for step in rules.steps(run_id)] == ["1"]


def test_the_outcome_of_a_run_is_written_by_the_owner_only_and_once(rules: Rules) -> None:
    """Else a run could end in an execution that has lost it, or after it was cancelled."""
    run_id = rules.one()
    assert not rules.database.update_workflow_outcome(run_id, "SUCCESS", output="1", owner_xid="o2")
    assert rules.database.update_workflow_outcome(run_id, "SUCCESS", output="1", owner_xid="o1")
    assert not rules.database.update_workflow_outcome(run_id, "ERROR", error="1", owner_xid="o1")
    assert (rules.row(run_id).status, rules.row(run_id).owner_xid) == ("SUCCESS", None)
    cancelled = rules.one()
    rules.client.cancel_workflow(cancelled)
    assert rules.row(cancelled).owner_xid is None
    assert not rules.database.update_workflow_outcome(cancelled, "SUCCESS", output="1", owner_xid="o1")


def test_a_question_is_shown_by_the_owner_only(rules: Rules) -> None:
    """Else a person would be asked by an execution that nobody waits for."""
    run_id = rules.one()

    def show(value: str, step: int) -> None:
        rules.database.set_event_from_workflow(
            run_id, step, "questions", value, serialization_type=WorkflowSerializationFormat.DEFAULT
        )

    with executing(run_id, "o2"), pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        show("not ours", 1)
    assert rules.database.get_all_events(run_id) == {}
    with executing(run_id, "o1"):
        show("ours", 1)
        show("made again", 1)  # by an execution that repeats the step
    assert rules.database.get_all_events(run_id) == {"questions": "ours"}


def test_before_a_step_the_status_is_read_and_the_owner_is_not(rules: Rules) -> None:
    """This is why the engine reads the owner before each call. Where DBOS reads it too, that is not needed any more."""
    run_id = rules.one()
    with executing(run_id, "o2"):
        assert rules.database.check_operation_execution(run_id, 1, STEP) is None
    rules.record(run_id, "o1")
    kept: Any = rules.database.check_operation_execution(run_id, 1, STEP)
    assert kept["output"] == "1"
    rules.client.cancel_workflow(run_id)
    assert rules.database.get_cancelled_workflow_ids([run_id]) == {run_id}
    with pytest.raises(dbos_errors.DBOSWorkflowCancelledError):
        rules.database.check_operation_execution(run_id, 2, STEP)


def test_what_ends_an_execution_is_no_exception_that_steps_keep() -> None:
    """Else a step that is cut off would have that as its outcome: DBOS keeps what is an `Exception`."""
    for error in (dbos_errors.DBOSWorkflowConflictIDError, dbos_errors.DBOSWorkflowCancelledError):
        assert not issubclass(error, Exception)
    assert not issubclass(asyncio.CancelledError, Exception)


def test_an_answer_with_the_same_key_is_one_message_and_is_taken_once(rules: Rules) -> None:
    """Else two persons who answer at once would both be told that their answer counts."""
    run_id = rules.one()
    for answer in ("first", "second"):
        with rules.database.engine.begin() as connection:
            rules.client.send_in_transaction(connection, run_id, answer, "topic", "key")

    def taken(step: int) -> Any:
        return rules.database.recv_consume(run_id, step, "topic", 0)

    with executing(run_id, "o2"), pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        taken(1)
    with executing(run_id, "o1"):
        assert (taken(1), taken(1), taken(2)) == ("first", "first", None)
    notified = LoopAwareEvent()
    rules.database.recv_check(run_id, "topic", notified)
    assert not notified.is_set()  # it stays in the table, where the engine reads it, and is not taken again


def test_a_wait_ends_at_a_time_of_day_that_is_kept(rules: Rules) -> None:
    """This is why `DbosFlow.sleep` has a bound of its own: the clocks of two workers differ."""
    run_id = rules.one()
    with executing(run_id, "o1"):
        assert 29 < rules.database.record_sleep(run_id, 1, 30.0) <= 30
        assert rules.database.record_sleep(run_id, 1, 500.0) <= 30


def test_a_run_is_enqueued_again_only_while_workers_that_died_have_it(rules: Rules) -> None:
    """Else a worker that takes over late would take the run from the one that executes it."""
    run_id = rules.one()
    again = rules.database.reenqueue_for_recovery
    assert not again(run_id, ["w2"], "another queue")
    assert again(run_id, ["w1"], "another queue")
    row = rules.row(run_id)
    assert (row.status, row.owner_xid, row.queue_name) == ("ENQUEUED", None, rules.queue)
    assert not again(run_id, ["w1"], "another queue")
    assert rules.claimed("o2", "w2") == [run_id]
    assert not again(run_id, ["w1"], "another queue")
    with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        rules.record(run_id, "o1")


def test_the_time_of_a_run_begins_when_it_is_taken_and_ends_its_owner(rules: Rules) -> None:
    """Else runs that wait in the queue would time out, or a run whose time is up would go on."""
    run_id = rules.enqueued(workflow_timeout=0.001)
    assert rules.row(run_id).workflow_deadline_epoch_ms is None
    assert rules.claimed("o1") == [run_id]
    assert rules.row(run_id).workflow_deadline_epoch_ms <= time() * 1000 + 1000
    rules.database.app_name = APPLICATION
    deadline = time() + 30
    while rules.database.cancel_timed_out_workflows(10) == [] and time() < deadline:
        pass
    row = rules.row(run_id)
    assert (row.status, row.owner_xid, row.queue_name) == ("CANCELLED", None, None)


@pytest.mark.parametrize("failure", [*Failure])
def test_a_statement_is_made_again_where_the_engine_marks_its_error(rules: Rules, failure: Failure) -> None:
    """Else DBOS would keep the failure to write an outcome as the outcome: see `retry_lost_connections`."""
    attempts: list[int] = []

    @db_retry(initial_backoff=0.001)
    def write(database: SystemDatabase) -> str:
        attempts.append(1)
        if len(attempts) > 1:
            return "written"
        with database.engine.begin() as connection:
            connection.execute(sa.text(_REFUSED[failure][database._is_sqlite]))
        return "not reached"

    clients = open_client(rules.database.engine.url.render_as_string(hide_password=False), waits=True)
    database = clients._sys_db
    retry_lost_connections(database, Failure.PASSES, Failure.OF_OPERATOR)
    try:
        if failure is Failure.OF_VALUE:
            with pytest.raises(exc.DBAPIError):
                write(database)
        else:
            assert write(database) == "written"
    finally:
        close_client(clients)


_REFUSED: Final = {
    Failure.PASSES: (
        "DO $$ BEGIN RAISE 'no' USING ERRCODE = '57014'; END $$",
        "ATTACH DATABASE '/no/such/folder/x' AS missing",
    ),
    Failure.OF_OPERATOR: ("SELECT 1 FROM there_is_none", "SELECT 1 FROM there_is_none"),
    Failure.OF_VALUE: (
        "SELECT 1 / 0",
        "INSERT INTO workflow_status (workflow_uuid) SELECT workflow_uuid FROM workflow_status",
    ),
}
"""A statement that fails so, in Postgres and in SQLite."""
