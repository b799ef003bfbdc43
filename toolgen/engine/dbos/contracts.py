"""The args schemas of tools that workers have had, by digest: planned calls name the one of then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Engine as Connections

_CONTRACTS: Final = sa.Table(
    "toolgen_contracts",
    sa.MetaData(),
    sa.Column("tool", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("args_schema", sa.Text, nullable=False),
)

_BATCH: Final = 1000


def add_contracts(database: Connections, schemas: Mapping[tuple[str, str], str]) -> None:
    """Add args schemas that are not there, as JSON texts, by the idents of tools and the digests.

    Raises SQLAlchemyError.
    """
    try:
        _CONTRACTS.metadata.create_all(database)
    except SQLAlchemyError:  # another worker creates it at this moment
        _CONTRACTS.metadata.create_all(database)
    insert = (sqlite if database.dialect.name == "sqlite" else postgresql).insert(_CONTRACTS).on_conflict_do_nothing()
    with database.begin() as connection:
        known = {
            (row.tool, row.digest) for row in connection.execute(sa.select(_CONTRACTS.c.tool, _CONTRACTS.c.digest))
        }
        new = [
            {"tool": tool, "digest": digest, "args_schema": schema}
            for (tool, digest), schema in sorted(schemas.items())
            if (tool, digest) not in known
        ]
        for at in range(0, len(new), _BATCH):
            connection.execute(insert, new[at : at + _BATCH])


def contract_of(database: Connections, tool: str, digest: str) -> Any:
    """Return the args schema of a tool by its digest; None where no worker has had it. Raises SQLAlchemyError."""
    found = sa.select(_CONTRACTS.c.args_schema).where(_CONTRACTS.c.tool == tool, _CONTRACTS.c.digest == digest)
    with database.connect() as connection:
        schema = connection.execute(found).scalar()
    return None if schema is None else json.loads(schema)
