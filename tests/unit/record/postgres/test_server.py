"""The Postgres servers of the tests themselves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.programs.postgres import shared_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.programs.postgres import PostgresServer

pytestmark = pytest.mark.slow


def test_a_database_is_empty_and_its_server_listens_on_no_port(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert tables == (0,)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


@pytest.mark.parametrize("immediate", [True, False])
@pytest.mark.variants(1)
def test_a_restart_cuts_connections_and_keeps_what_was_committed(
    postgres_server: PostgresServer, immediate: bool
) -> None:
    url = postgres_server.new_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept (x int)")
        connection.commit()
        postgres_server.restart(immediate=immediate)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


@pytest.mark.long
def test_workers_share_a_server_until_the_last_one_leaves(tmp_path: Path) -> None:
    with shared_server(tmp_path, f"{os.getpid()}-test") as first:
        with shared_server(tmp_path, f"{os.getpid()}-test") as second:
            assert second.folder == first.folder
        with psycopg.connect(first.url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not first.folder.exists()
