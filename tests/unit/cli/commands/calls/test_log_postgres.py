"""The command line with a store in Postgres: wherever it takes the file of a store, it takes a URL."""

from __future__ import annotations

import asyncio
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.record.sample import KEY, TOOL, one_call, progress, write
from toolgen.record.stores import open_store
from toolgen.runtime.events.records import NewEvent

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.record.stores import DurableStore

pytest.importorskip("psycopg")

PASSWORD = "hunter2"


async def record(url: str, *events: NewEvent) -> None:
    store: DurableStore = open_store(url, key=KEY)
    if not events:
        await one_call(store)
    await write(store, *events)
    await store.close()


def test_runs_of_a_database_are_listed_shown_and_verified(tmp_path: Path, postgres_url: str) -> None:
    asyncio.run(record(postgres_url))
    (tmp_path / "log.key").write_bytes(KEY._key)
    listed = toolgen(tmp_path, "log", "--store", postgres_url)
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.startswith("r1 ")
    assert f"  {TOOL}  c1" in toolgen(tmp_path, "log", "r1", "--store", postgres_url).out
    head = toolgen(tmp_path, "log", "head", "r1", "--store", postgres_url).out.strip()
    verify = ("log", "verify", "r1", "--store", postgres_url, "--head", head, "--key-file", "log.key")
    assert toolgen(tmp_path, *verify).out == "r1: 2 events; the record is intact\n"
    missing = toolgen(tmp_path, "log", "r2", "--store", postgres_url)
    assert missing.code == 2
    assert "There is no run `r2`." in missing.err
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("DELETE FROM toolgen.results")
    changed = toolgen(tmp_path, *verify)
    assert (changed.code, changed.out) == (
        1,
        "the result of event 1 is missing\nr1: the record was tampered with\n",
    )


def test_a_database_is_followed_before_it_has_a_store(tmp_path: Path, postgres_url: str) -> None:
    command = [forked_python(), "-m", "toolgen", "-C", str(tmp_path), "log", "r1", "--store", postgres_url, "--follow"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as following:
        assert following.stdout is not None
        assert following.stderr is not None
        assert following.stderr.readline().startswith("waiting for postgresql:///test_")
        asyncio.run(record(postgres_url, progress(run="r0")))
        assert following.stderr.readline() == "waiting for run r1\n"
        asyncio.run(record(postgres_url, progress(), NewEvent("run_ended", "r1")))
        assert f"tool_progress  {TOOL}  c1" in following.stdout.readline()
        assert "run_ended" in following.stdout.readline()
        assert following.wait() == 0


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (
            f"postgresql://u:{PASSWORD}@127.0.0.1:1/db",
            "postgresql://127.0.0.1:1/db: the store cannot be read: Connection refused.",
        ),
        (f"postgresql://u:p@{PASSWORD}@h/db", "the store cannot be opened: this is not a Postgres URL, such as"),
    ],
)
def test_a_database_that_cannot_be_reached_is_an_error_without_the_password(
    tmp_path: Path, target: str, why: str
) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text("toolgen: 1\ntoolset: mcp.shop\nkind: mcp\ntools: {}\n")
    commands = [("log", "--store", target), ("import", "mcp", "--toolset", "mcp.shop", "--results", target)]
    for command in commands:
        refused = toolgen(tmp_path, *command)
        assert refused.code == 2
        assert why in refused.err
        assert PASSWORD not in refused.err + refused.out
