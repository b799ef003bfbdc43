"""The tables of toolgen in a database of runs, beside those of DBOS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine as Connections

_TABLES: Final = sa.MetaData()

SCHEDULES: Final = sa.Table(
    "toolgen_schedules",
    _TABLES,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("definition", sa.Text, nullable=False),
    sa.Column("set_by", sa.Text, nullable=False),
    sa.Column("set_at", sa.Float(53), nullable=False),
    sa.Column("is_paused", sa.Boolean, nullable=False),
    sa.Column("next_at", sa.Float(53)),
    sa.Column("last_at", sa.Float(53)),
    sa.Column("last_run_id", sa.Text, nullable=False),
)
"""The schedules; times are in seconds since 1970. `token` is part of the ids of its runs: see `Schedule.request_at`."""

RETENTION: Final = sa.Table(
    "toolgen_retention",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("worker", sa.Text, nullable=False),
    sa.Column("token", sa.Text, nullable=False),
    sa.Column("seconds", sa.Float(53), nullable=False),
    sa.Column("next_at", sa.Float(53), nullable=False),
    sa.Column("ended_at", sa.Float(53)),
    sa.Column("deleted", sa.Text),
)
"""One row: the worker that deletes old runs, or did so last, with what it deleted; see `retention`."""

WORKERS: Final = sa.Table(
    "toolgen_workers",
    _TABLES,
    sa.Column("worker", sa.Text, primary_key=True),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("beats", sa.BigInteger, nullable=False),
    sa.Column("beaten_at", sa.BigInteger),
    sa.Column("about", sa.Text),
    sa.Index("toolgen_workers_place", "place"),
)
"""`beaten_at` and `about` are for operators: see `workers_of`. Nobody is taken for dead by the time of a clock."""

TOKENS: Final = sa.Sequence("toolgen_fencing_tokens", metadata=_TABLES)
"""The fencing tokens in Postgres; SQLite has no sequences."""

TOKEN: Final = sa.Table(
    "toolgen_fencing_token",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token", sa.BigInteger, nullable=False),
)
"""The last fencing token in SQLite."""


@event.listens_for(TOKEN, "after_create")
def _add_token(_table: sa.Table, connection: sa.Connection, **_: object) -> None:
    connection.execute(sa.insert(TOKEN).values(id=1, token=0))


CONTRACTS: Final = sa.Table(
    "toolgen_contracts",
    _TABLES,
    sa.Column("tool", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("args_schema", sa.Text, nullable=False),
    sa.Column("begun", sa.BigInteger, nullable=False),
)
"""`begun` counts the workers that have begun; that of a row is the last one that had it."""

_CREATING: Final = 0x746F6F6C67656E
"""An advisory lock, `toolgen` in ASCII: one process at a time creates tables."""


def create_tables(connections: Connections) -> None:
    """Create toolgen's tables if one is missing: all or none, one process at a time. Raises SQLAlchemyError."""
    if all(map(sa.inspect(connections).has_table, _TABLES.tables)):
        return
    with connections.begin() as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(sa.text("BEGIN IMMEDIATE"))
        else:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CREATING)))
        _TABLES.create_all(connection)
