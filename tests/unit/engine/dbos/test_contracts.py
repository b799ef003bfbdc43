"""Contracts of tools in the database: the last ones of each tool are kept, however often it changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from toolgen.engine.dbos.connections import LEASE, close_connections, open_connections
from toolgen.engine.dbos.contracts import KEPT, add_contracts, contract_of
from toolgen.engine.dbos.database import database_url
from toolgen.engine.dbos.own_tables import create_tables

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_last_contracts_of_each_tool_are_kept(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    target = tmp_path / "runs.sqlite" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    database = open_connections(database_url(target), LEASE)
    create_tables(database)
    always = {("own.stays", "d"): json.dumps({"type": "object"})}
    for number in range(KEPT + 5):
        changed = {("own.changes", f"d{number}"): json.dumps({"const": number})}
        first = {("own.changes", "d0"): json.dumps({"const": 0})}  # an old worker that is started now and then
        add_contracts(database, {**always, **changed, **(first if number % 10 == 0 else {})})
    kept = {number for number in range(KEPT + 5) if contract_of(database, "own.changes", f"d{number}") is not None}
    assert kept == {0, *range(6, KEPT + 5)}
    assert contract_of(database, "own.stays", "d") == {"type": "object"}
    assert contract_of(database, "own.changes", "d7") == {"const": 7}
    close_connections(database)
