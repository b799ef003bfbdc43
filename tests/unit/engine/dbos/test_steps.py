"""What is read before a step and written after it is what DBOS would read and write, if the run is still owned."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import sqlalchemy as sa
from dbos import _sys_db as dbos_tables
from dbos import error as dbos_errors
from dbos._sys_db import SystemDatabase

from tests.unit.engine.engines import engines_of
from toolgen.engine.dbos import database as steps_module
from toolgen.engine.dbos.database import PLAN, close_client, open_client, read_steps_at_once, write_steps_at_once
from toolgen.engine.dbos.executions import Execution
from toolgen.engine.dbos.lease import Lease, draw_token

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dbos._sys_db import OperationResultInternal

_OWNER: Final = "owner"
_CASES: Final = [("r", 1, "none"), ("r", 2, "ended"), ("r", 3, "failed"), ("r", 2, "other"), ("cancelled", 1, "none")]


@pytest.fixture
def executions() -> dict[str, Execution]:
    """Return an execution of each run; their tasks do nothing here."""
    return {run_id: Execution(cast("asyncio.Task[Any]", None)) for run_id in ("r", "taken", "cancelled")}


@pytest.fixture(params=["postgres", "sqlite"])
def database(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    executions: dict[str, Execution],
) -> Iterator[SystemDatabase]:
    engines = engines_of(request.param, request, tmp_path)
    engines.prepare()
    client = open_client(engines.url)
    found = client._sys_db
    Lease(found.engine, "worker").prepare()
    runs, steps = found.tables.workflow_status, found.tables.operation_outputs
    of_runs = {"created_at": 1, "updated_at": 1, "priority": 1, "name": "n"}
    of_steps: dict[str, Any] = {"workflow_uuid": "r", "serialization": "toolgen_json"}
    with found.engine.begin() as connection:
        for run_id, status, owner in (
            ("r", "PENDING", _OWNER),
            ("cancelled", "CANCELLED", None),
            ("taken", "PENDING", "x"),
        ):
            connection.execute(sa.insert(runs).values(workflow_uuid=run_id, status=status, owner_xid=owner, **of_runs))
        connection.execute(sa.insert(steps).values(function_id=2, function_name="ended", output='"a"', **of_steps))
        connection.execute(sa.insert(steps).values(function_id=3, function_name="failed", error='"e"', **of_steps))
    for module in (steps_module, dbos_tables):
        monkeypatch.setattr(module, "current_owner_xid", lambda _run_id: _OWNER)
    read_steps_at_once(found, executions)
    write_steps_at_once(found)
    yield found
    close_client(client)


@pytest.mark.parametrize("step", _CASES, ids=repr)
def test_a_step_is_what_dbos_reads(step: tuple[str, int, str], database: SystemDatabase) -> None:
    assert _outcome(lambda: database.check_operation_execution(*step)) == _outcome(
        lambda: SystemDatabase.check_operation_execution(database, *step)
    )


def _outcome(read: Callable[[], object]) -> object:
    try:
        return read()
    except (dbos_errors.DBOSException, dbos_errors.DBOSWorkflowCancelledError) as error:
        return type(error)


@pytest.mark.parametrize("name", ["none", "ended"])
def test_an_execution_that_has_lost_its_run_begins_no_step(name: str, database: SystemDatabase) -> None:
    with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        database.check_operation_execution("taken", 1, name)


def test_a_run_that_is_not_there_has_no_steps(database: SystemDatabase) -> None:
    with pytest.raises(dbos_errors.DBOSNonExistentWorkflowError):
        database.check_operation_execution("gone", 1, "none")


def test_transactions_after_it_are_those_of_dbos(database: SystemDatabase) -> None:
    """A connection that has read without a transaction goes back to others."""
    database.check_operation_execution("r", 1, "none")
    with database.engine.connect() as connection:
        connection.execute(sa.delete(database.tables.operation_outputs))
        connection.rollback()
    assert database.check_operation_execution("r", 2, "ended") is not None


def _result(run_id: str = "r", step: int = 7, **changed: Any) -> OperationResultInternal:
    fields: dict[str, Any] = {
        "workflow_uuid": run_id,
        "function_id": step,
        "function_name": "call search 0.0",
        "started_at_epoch_ms": 5,
        "output": '{"content":"ü \\u0000"}',
        "error": None,
        "serialization": "toolgen_json",
        "child_workflow_id": None,
    }
    return cast("OperationResultInternal", {**fields, **changed})


@pytest.mark.parametrize("changed", [{}, {"output": None, "error": '"e"'}, {"child_workflow_id": "c"}], ids=repr)
def test_an_outcome_is_written_as_dbos_writes_it(changed: dict[str, Any], database: SystemDatabase) -> None:
    steps = database.tables.operation_outputs
    database.record_operation_result(_result(step=7, **changed), completed_at_epoch_ms=9)
    SystemDatabase.record_operation_result(database, _result(step=8, **changed), completed_at_epoch_ms=9)
    with database.engine.connect() as connection:
        chosen = sa.select(steps).where(steps.c.function_id.in_((7, 8))).order_by(steps.c.function_id)
        ours, theirs = ({**row._mapping} for row in connection.execute(chosen).all())
    assert abs(ours.pop("retention_timestamp") - theirs.pop("retention_timestamp")) < 60_000
    assert ours | {"function_id": 8} == theirs


@pytest.mark.parametrize("run_id", ["taken", "cancelled", "gone"])
def test_an_outcome_of_a_run_that_was_lost_is_not_written(run_id: str, database: SystemDatabase) -> None:
    with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        database.record_operation_result(_result(run_id))
    with database.engine.connect() as connection:
        kept = sa.select(database.tables.operation_outputs.c.function_id).where(
            database.tables.operation_outputs.c.workflow_uuid == run_id
        )
        assert not connection.execute(kept).all()


def test_an_outcome_is_written_again_by_the_same_attempt_only(database: SystemDatabase) -> None:
    for _ in range(2):  # the answer to the first statement may have been lost
        database.record_operation_result(_result(), completed_at_epoch_ms=9)
    with pytest.raises(dbos_errors.DBOSStepNondeterminismError):
        database.record_operation_result(_result(output='"other"'), completed_at_epoch_ms=10)
    found = database.check_operation_execution("r", 7, "call search 0.0")
    assert found is not None
    assert found["output"] == _result()["output"]


def test_an_outcome_waits_for_whoever_takes_over_the_run(database: SystemDatabase) -> None:
    if database.engine.dialect.name == "sqlite":
        pytest.skip("a file of SQLite has one writer")
    runs = database.tables.workflow_status
    is_begun = threading.Event()
    raised: list[BaseException] = []

    def write() -> None:
        is_begun.set()
        try:
            database.record_operation_result(_result())
        except dbos_errors.DBOSWorkflowConflictIDError as error:
            raised.append(error)

    writer = threading.Thread(target=write)
    with database.engine.begin() as connection:
        connection.execute(sa.update(runs).where(runs.c.workflow_uuid == "r").values(owner_xid="other"))
        writer.start()
        is_begun.wait()
        waits = sa.text(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        waits_here = database.engine.execution_options(isolation_level="AUTOCOMMIT")
        with waits_here.connect() as watching:
            while writer.is_alive() and not watching.scalar(waits):
                pass
    writer.join()
    assert raised


def test_a_fencing_token_is_drawn_with_what_the_owner_reads_before_a_plan(
    database: SystemDatabase, executions: dict[str, Execution]
) -> None:
    before = draw_token(database.engine)
    database.check_operation_execution("r", 1, "call search 0.0")
    with pytest.raises(dbos_errors.DBOSWorkflowConflictIDError):
        database.check_operation_execution("taken", 1, PLAN)
    assert (executions["r"].token, executions["taken"].token) == (None, None)
    database.check_operation_execution("r", 1, PLAN)
    drawn = executions["r"].token
    if database.engine.dialect.name == "sqlite":
        assert drawn is None  # it is drawn before the first call
        return
    assert drawn is not None
    assert before < drawn < draw_token(database.engine)
    database.check_operation_execution("r", 4, PLAN)
    assert executions["r"].token == drawn
