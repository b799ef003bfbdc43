"""The args schemas of tools that workers have had, by the digest of the tool: planned calls name the one of then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from toolgen.engine.dbos.own_tables import CONTRACTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine as Connections

KEPT: Final = 50
"""How many contracts of a tool are kept: the last that workers began with."""

_BATCH: Final = 1000


def add_contracts(database: Connections, schemas: Mapping[tuple[str, str], str]) -> None:
    """Add the args schemas that a worker begins with, as JSON texts, by the idents of tools and the digests.

    Those of each tool that no worker has begun with for long are removed. Raises SQLAlchemyError.
    """
    adding: Any = (sqlite if database.dialect.name == "sqlite" else postgresql).insert(CONTRACTS)
    insert = adding.on_conflict_do_update(
        index_elements=[CONTRACTS.c.tool, CONTRACTS.c.digest], set_={"begun": adding.excluded.begun}
    )
    key = sa.tuple_(CONTRACTS.c.tool, CONTRACTS.c.digest)
    newest = sa.func.row_number().over(
        partition_by=CONTRACTS.c.tool, order_by=(CONTRACTS.c.begun.desc(), CONTRACTS.c.digest)
    )
    ranked = sa.select(CONTRACTS.c.tool, CONTRACTS.c.digest, newest.label("rank")).subquery()
    old = sa.select(ranked.c.tool, ranked.c.digest).where(ranked.c.rank > KEPT)
    with database.begin() as connection:
        begun = (connection.execute(sa.select(sa.func.max(CONTRACTS.c.begun))).scalar() or 0) + 1
        rows = [
            {"tool": tool, "digest": digest, "args_schema": schema, "begun": begun}
            for (tool, digest), schema in sorted(schemas.items())  # sorted: two that begin wait, not both
        ]
        for at in range(0, len(rows), _BATCH):
            connection.execute(insert, rows[at : at + _BATCH])
        connection.execute(sa.delete(CONTRACTS).where(key.in_(old)))


def contract_of(database: Connections, tool: str, digest: str) -> Any:
    """Return the args schema of a tool by its digest; None where no worker has had it. Raises SQLAlchemyError."""
    found = sa.select(CONTRACTS.c.args_schema).where(CONTRACTS.c.tool == tool, CONTRACTS.c.digest == digest)
    with database.connect() as connection:
        schema = connection.execute(found).scalar()
    return None if schema is None else json.loads(schema)
