"""What DBOS reads before a step: whether the run goes on, who owns it, and the outcome of the step, if it has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from dbos import error as dbos_errors
from dbos._context import current_owner_xid
from dbos._sys_db import db_retry

if TYPE_CHECKING:
    from dbos._sys_db import RecordedResult, SystemDatabase

_RUN: Final = "run"
_STEP: Final = "step"


def read_steps_at_once(database: SystemDatabase) -> None:
    """Let DBOS read, in one statement without a transaction, what it has two statements in one for.

    So an execution that has lost its run begins no further step: DBOS itself checks that only when it writes.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    found = (
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
    is_postgres = database.engine.dialect.name == "postgresql"
    reading = database.engine.execution_options(isolation_level="AUTOCOMMIT") if is_postgres else database.engine

    @db_retry(sys_db=database)
    def check(
        workflow_id: str, function_id: int, function_name: str, *, owner_key: str | None = None
    ) -> RecordedResult | None:
        del owner_key  # of sharded databases, which a worker does not have
        with reading.connect() as connection:
            row: Any = connection.execute(found, {_RUN: workflow_id, _STEP: function_id}).one_or_none()
        if row is None:
            raise dbos_errors.DBOSNonExistentWorkflowError("workflow", workflow_id)
        if row.status == "CANCELLED":
            raise dbos_errors.DBOSWorkflowCancelledError(f"workflow {workflow_id} is cancelled")
        if row.owner_xid != current_owner_xid(workflow_id):
            raise dbos_errors.DBOSWorkflowConflictIDError(workflow_id)
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
