"""What DBOS reads before a step and writes after it, in one statement each, without transactions.

Before a step: whether the run goes on, who owns it, and the outcome of the step, if it has one. After it: the outcome,
if the execution still owns the run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from dbos import error as dbos_errors
from dbos._context import current_owner_xid
from dbos._sys_db import db_retry
from sqlalchemy.exc import DBAPIError

from toolgen.engine.dbos.database import PLAN
from toolgen.engine.dbos.lease import next_token

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dbos._sys_db import OperationResultInternal, RecordedResult, SystemDatabase

    from toolgen.engine.dbos.executions import Execution

_RUN: Final = "run"
_STEP: Final = "step"
_DRAWN: Final = "drawn"


def read_steps_at_once(database: SystemDatabase, executions: Mapping[str, Execution]) -> None:
    """Let DBOS read, in one statement without a transaction, what it has two statements in one for.

    So an execution that has lost its run begins no further step: DBOS itself checks that only when it writes. In
    Postgres an execution without a fencing token draws one with what is read before a plan. The calls come after that,
    and who owns the run is read again before each of them.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    wanted = (
        sa.select(
            runs.c.status,
            runs.c.owner_xid,
            steps.c.function_name,
            steps.c.output,
            steps.c.error,
            steps.c.child_workflow_id,
            steps.c.serialization,
        )
        .select_from(
            runs.outerjoin(
                steps,
                sa.and_(steps.c.workflow_uuid == runs.c.workflow_uuid, steps.c.function_id == sa.bindparam(_STEP)),
            )
        )
        .where(runs.c.workflow_uuid == sa.bindparam(_RUN))
    )
    # A connection to SQLite would have other transactions afterwards.
    is_postgres = _has_statements_of_postgres(database)
    reading = database.engine.execution_options(isolation_level="AUTOCOMMIT") if is_postgres else database.engine

    drawing = wanted.add_columns(next_token().label(_DRAWN)) if is_postgres else wanted

    @db_retry(sys_db=database)
    def check(
        workflow_id: str, function_id: int, function_name: str, *, owner_key: str | None = None
    ) -> RecordedResult | None:
        del owner_key  # of sharded databases, which a worker does not have
        execution = executions.get(workflow_id) if is_postgres and function_name == PLAN else None
        draws = execution is not None and execution.token is None
        with reading.connect() as connection:
            row: Any = connection.execute(
                drawing if draws else wanted, {_RUN: workflow_id, _STEP: function_id}
            ).one_or_none()
        if row is None:
            raise dbos_errors.DBOSNonExistentWorkflowError("workflow", workflow_id)
        if row.status == "CANCELLED":
            raise dbos_errors.DBOSWorkflowCancelledError(f"workflow {workflow_id} is cancelled")
        if row.owner_xid != current_owner_xid(workflow_id):
            raise dbos_errors.DBOSWorkflowConflictIDError(workflow_id)
        if execution is not None and draws:  # it is that of the owner
            execution.token = int(row.drawn)
        if row.function_name is None:
            return None
        if row.function_name != function_name:
            raise dbos_errors.DBOSUnexpectedStepError(
                workflow_id=workflow_id,
                step_id=function_id,
                expected_name=function_name,
                recorded_name=row.function_name,
            )
        return {
            "output": row.output,
            "error": row.error,
            "serialization": row.serialization,
            "child_workflow_id": row.child_workflow_id,
            "child_shard_key": None,
        }

    database.check_operation_execution = check  # type: ignore[method-assign]  # see above


def write_steps_at_once(database: SystemDatabase) -> None:
    """Let DBOS write the outcome of a step in one statement, as it writes that of a run, where it has a transaction.

    The row of the run is locked by the statement as it is by DBOS: whoever takes over the run comes before or after.
    """
    if not _has_statements_of_postgres(database):
        return
    writing = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    write_with_transaction = database.record_operation_result

    def record(
        result: OperationResultInternal,
        *,
        completed_at_epoch_ms: int | None = None,
        owner_xid: str | None = None,
        owner_key: str | None = None,
    ) -> None:
        run_id = result["workflow_uuid"]
        owner = current_owner_xid(run_id) if owner_xid is None else owner_xid
        if owner is None or result["child_workflow_id"] is not None:
            write_with_transaction(
                result, completed_at_epoch_ms=completed_at_epoch_ms, owner_xid=owner_xid, owner_key=owner_key
            )
            return
        completed = int(time.time() * 1000) if completed_at_epoch_ms is None else completed_at_epoch_ms
        values = {name: result[name] for name in _WRITTEN}
        _write(values | {"completed_at_epoch_ms": completed, "application_name": database.app_name, _OWNER: owner})

    @db_retry(sys_db=database)
    def _write(values: dict[str, Any]) -> None:
        with writing.connect() as connection:
            try:
                found = database._execute_prepared(  # noqa: SLF001  # no public name
                    connection, "toolgen_step", values, lambda: _step_of_owner(database, values), insert_columns=False
                ).scalar()
            except DBAPIError as error:
                if database._is_unique_constraint_violation(error):  # noqa: SLF001  # as above
                    raise dbos_errors.DBOSStepNondeterminismError(
                        values["workflow_uuid"], values["function_id"]
                    ) from error
                raise
        if found is None:
            raise dbos_errors.DBOSWorkflowConflictIDError(values["workflow_uuid"])
        if int(found) != values["completed_at_epoch_ms"]:  # of another attempt: one of its own has the same time
            raise dbos_errors.DBOSStepNondeterminismError(values["workflow_uuid"], values["function_id"])

    database.record_operation_result = record  # type: ignore[method-assign]  # no public name


_OWNER: Final = "owner"
_WRITTEN: Final = (
    "workflow_uuid",
    "function_id",
    "function_name",
    "started_at_epoch_ms",
    "output",
    "error",
    "serialization",
)


def _step_of_owner(database: SystemDatabase, values: Mapping[str, Any]) -> Any:
    """Return the statement that inserts the row of a step if the run is still that of an owner.

    It returns when the row that is there was completed; nothing if the run is not.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    given = {name: sa.bindparam(name, type_=steps.c[name].type) for name in values if name != _OWNER}
    is_own = (
        runs.c.workflow_uuid == given["workflow_uuid"],
        runs.c.owner_xid == sa.bindparam(_OWNER, type_=runs.c.owner_xid.type),
    )
    owned = sa.select(runs.c.workflow_uuid).where(*is_own).with_for_update(key_share=True).cte("owned")
    row = sa.select(*given.values(), database._now_ms_sql()).select_from(owned)  # noqa: SLF001  # as above
    return (
        database.dialect.insert(steps)
        .from_select([*given, "retention_timestamp"], row)
        .on_conflict_do_update(
            index_elements=["workflow_uuid", "function_id"],
            set_={"completed_at_epoch_ms": steps.c.completed_at_epoch_ms},
        )
        .returning(steps.c.completed_at_epoch_ms)
    )


def _has_statements_of_postgres(database: SystemDatabase) -> bool:
    return database.engine.dialect.name == "postgresql"
