"""What is read before a step is what DBOS would read, and who owns the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
import sqlalchemy as sa
from dbos import error as dbos_errors
from dbos._sys_db import SystemDatabase

from toolgen.engine.dbos import database_url, prepare
from toolgen.engine.dbos import steps as steps_module
from toolgen.engine.dbos.database import close_client, open_client
from toolgen.engine.dbos.steps import read_steps_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_OWNER: Final = "owner"
_CASES: Final = [("r", 1, "none"), ("r", 2, "ended"), ("r", 3, "failed"), ("r", 2, "other"), ("cancelled", 1, "none")]


@pytest.fixture(params=["postgres", "sqlite"])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SystemDatabase]:
    postgres = request.param == "postgres"
    url = database_url(request.getfixturevalue("postgres_url") if postgres else tmp_path / "runs.sqlite")
    prepare(url)
    client = open_client(url)
    found = client._sys_db
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
    monkeypatch.setattr(steps_module, "current_owner_xid", lambda _run_id: _OWNER)
    read_steps_at_once(found)
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
