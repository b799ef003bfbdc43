"""What the engine uses of DBOS that DBOS does not publish: all of it is here, of the one version that `pyproject` pins.

Any release of DBOS may change these names. `tests/unit/engine/dbos/test_private.py` says which of them are gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, cast

from dbos import _serialization
from dbos._context import assert_current_dbos_context, current_owner_xid
from dbos._core import ActiveWorkflowById
from dbos._dbos import StepReservation, _get_dbos_instance
from dbos._enqueue_options import build_enqueue_status
from dbos._sys_db import OperationResultInternal, RecordedResult, SystemDatabase, db_retry
from dbos._utils import generate_uuid

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import sqlalchemy as sa
    from dbos import DBOS, DBOSClient, Serializer
    from sqlalchemy.exc import DBAPIError

__all__ = [
    "DECODERS",
    "ActiveWorkflowById",
    "OperationResultInternal",
    "RecordedResult",
    "StepReservation",
    "SystemDatabase",
    "active_runs",
    "build_enqueue_status",
    "current_owner_xid",
    "current_step",
    "database_of",
    "database_of_process",
    "db_retry",
    "execute_prepared",
    "generate_uuid",
    "give_up_lost_connections",
    "in_transaction",
    "is_unique_violation",
    "now_ms",
    "refuse_pickles",
    "set_active_runs",
]


def database_of(owner: DBOS | DBOSClient) -> SystemDatabase:
    """Return the tables of a process that executes runs, or of a client."""
    return owner._sys_db


def database_of_process() -> SystemDatabase:
    """Return the tables of the process that this is. Raises DBOSException if it executes no runs."""
    return database_of(_get_dbos_instance())


def give_up_lost_connections(database: SystemDatabase) -> None:
    """Let threads fail that wait for a database which has gone away, instead of trying again until it is back.

    To be called before DBOS is destroyed, which neither ends these threads nor waits for them.
    """
    database._retry_connection_errors = False


def current_step() -> int:
    """Return the number of the last step that the current run has begun. Raises if this is in no run."""
    return assert_current_dbos_context().function_id


def active_runs(dbos: DBOS) -> ActiveWorkflowById:
    """Return what knows the runs that a process executes."""
    return dbos._active_workflows_set


def set_active_runs(dbos: DBOS, runs: ActiveWorkflowById) -> None:
    """Let something else know the runs that a process executes."""
    dbos._active_workflows_set = runs


def now_ms(database: SystemDatabase) -> Any:
    """Return the time of the clock of the database, in milliseconds since 1970, as an expression."""
    return database._now_ms_sql()


class _Joined:
    """Stands for the connections of a database whose transactions are all the one that has begun."""

    def __init__(self, connection: sa.Connection) -> None:
        self.dialect: Final = connection.dialect
        self.connection: Final = connection

    def begin(self) -> AbstractContextManager[sa.Connection]:
        return nullcontext(self.connection)


def in_transaction(database: SystemDatabase, connection: sa.Connection) -> SystemDatabase:
    """Return the tables such that what DBOS does with them is part of a transaction, which its caller ends."""
    joined = copy(database)
    joined.engine = cast("Any", _Joined(connection))
    return joined


def execute_prepared(
    database: SystemDatabase, connection: sa.Connection, name: str, values: Mapping[str, Any], make: Callable[[], Any]
) -> sa.CursorResult[Any]:
    """Execute the statement of a name, which is made and compiled once."""
    found: sa.CursorResult[Any] = database._execute_prepared(connection, name, dict(values), make, insert_columns=False)
    return found


def is_unique_violation(database: SystemDatabase, error: DBAPIError) -> bool:
    """Return whether a statement failed because a row with its key is there."""
    return database._is_unique_constraint_violation(error)


DECODERS: Final = ("deserialize_args", "deserialize_exception", "deserialize_value")


def refuse_pickles(kind: type[Serializer]) -> None:
    """Let DBOS unpickle nothing where a serializer of this class is used. What it decodes raises TypeError then.

    DBOS goes by what a row says of itself: whoever can write to a database would run code wherever the row is read.
    Others that use DBOS in this process, with a serializer of their own, are not affected.
    """
    for name in DECODERS:
        decode = getattr(_serialization, name)
        refusing = _refusing(decode, kind)
        for module in [each for path, each in sys.modules.items() if path.startswith("dbos.")]:
            if vars(module).get(name) is decode:
                setattr(module, name, refusing)


def _refusing(decode: Callable[..., Any], kind: type[Serializer]) -> Callable[..., Any]:
    pickled = _serialization.DBOSDefaultSerializer.name()

    @wraps(decode)
    def decoded(value: str | None, serialization: str | None, serializer: Serializer) -> Any:
        if serialization == pickled and isinstance(serializer, kind):
            raise TypeError("a pickled value, which could run any code")
        return decode(value, serialization, serializer)

    return decoded
