"""`toolgen log`: runs, one run, its head, and verification of its record."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.record.sample import denied, done, ended, progress, result, started, write
from toolgen.record.chain import ChainKey
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import NewEvent

if TYPE_CHECKING:
    from pathlib import Path

KEY = "0123456789abcdef" * 4


class Clock:
    """A clock that advances by 2.5 ms whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=2500)
        return self.now


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a store of two runs, and the key of their chains."""
    (tmp_path / "log.key").write_text(f"{KEY}\n")

    async def record() -> None:
        store = SqliteStore(tmp_path / "store.db", key=ChainKey(KEY.encode()), clock=Clock())
        await write(store, NewEvent("agent_run_started", "r1", data={"message": "researcher"}))
        await write(store, started("c1"), started("c2"), progress("c1", line="x"))
        await done(store.finish(ended(call="c1"), result("c1")))
        refusal = denied("c2", message="shop.orders.refund was not allowed to run: \x1b[31mno")
        await done(store.finish(ended("tool_denied", "c2"), refusal))
        await write(store, started("c3"), NewEvent("run_ended", "r1"))
        await write(store, started("c1", run="r\x1b2"))
        await store.close()

    asyncio.run(record())
    return tmp_path


def test_runs(folder: Path) -> None:
    listed = toolgen(folder, "log", "--store", "store.db")
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.splitlines() == [
        "r1      2026-03-01 12:00:00Z   17.5 ms  1 completed, 1 denied",
        "r\\x1b2  2026-03-01 12:00:00Z      0 µs  no call has ended",
    ]
    assert toolgen(folder, "log", "--store", "store.db", "--format", "json").json[0] == {
        "run": "r1",
        "began": "2026-03-01T12:00:00.002500Z",
        "last": "2026-03-01T12:00:00.020000Z",
        "events": 8,
        "completed": 1,
        "failed": 0,
        "denied": 1,
    }


def test_one_run(folder: Path) -> None:
    shown = toolgen(folder, "log", "r1", "--store", "store.db")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines() == [
        "r1  2026-03-01 12:00:00Z  17.5 ms  3 calls: 1 completed, 1 denied, 1 running",
        "12:00:00.002  agent_run_started  researcher",
        "12:00:00.005  completed    7.5 ms  shop.orders.refund  c1",
        "    permission allow_once 12 µs, execute 3.4 ms",
        "12:00:00.007  denied       7.5 ms  shop.orders.refund  c2",
        "    permission allow_once 12 µs, execute 3.4 ms",
        "    permission_denied: shop.orders.refund was not allowed to run: \\x1b[31mno",
        "12:00:00.017  running              shop.orders.refund  c3",
        "12:00:00.020  run_ended",
    ]


def test_one_run_as_json(folder: Path) -> None:
    shown = toolgen(folder, "log", "show", "r1", "--store", "store.db", "--format", "json").json
    assert [(call["tool_call_id"], call["state"], call["duration_us"]) for call in shown["calls"]] == [
        ("c1", "completed", 7500),
        ("c2", "denied", 7500),
        ("c3", "running", None),
    ]
    assert shown["calls"][0]["stages"][0] == {"stage": "permission", "decision": "allow_once", "us": 12}
    assert shown["calls"][0]["result"] == {"value": {"refunded": True}}
    assert [event["sequence"] for event in shown["events"]] == list(range(8))
    assert shown["events"][1]["data"] == {"args": {"order": 7}}


def test_a_run_is_followed_to_its_end(folder: Path) -> None:
    followed = toolgen(folder, "log", "r1", "--store", "store.db", "--follow")
    assert followed.code == 0
    assert followed.out.splitlines()[:2] == [
        "12:00:00.002  agent_run_started  researcher",
        "12:00:00.005  tool_started  shop.orders.refund  c1",
    ]
    as_json = toolgen(folder, "log", "r1", "--store", "store.db", "--follow", "--format", "json")
    assert [json.loads(line)["sequence"] for line in as_json.out.splitlines()] == list(range(8))


def test_a_run_is_followed_while_it_continues(folder: Path) -> None:
    command = [forked_python(), "-m", "toolgen", "-C", str(folder), "log", "live", "--store", "store.db", "--follow"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    async def record(*events: NewEvent) -> None:
        store = SqliteStore(folder / "store.db", key=ChainKey(KEY.encode()), clock=Clock())
        await write(store, *events)
        await store.close()

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment) as following:
        assert following.stdout is not None
        asyncio.run(record(started("c1", "live")))
        assert following.stdout.readline() == "12:00:00.002  tool_started  shop.orders.refund  c1\n"
        asyncio.run(record(NewEvent("run_ended", "live")))
        assert following.stdout.readline() == "12:00:00.002  run_ended\n"
        assert following.wait() == 0


def test_a_missing_store_and_a_missing_run_are_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    command = [forked_python(), "-m", "toolgen", "-C", str(tmp_path), "log", "r1", "--store", "later.db", "--follow"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    async def record(run: str) -> None:
        store = SqliteStore(path, clock=Clock())
        await write(store, NewEvent("run_ended", run))
        await store.close()

    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    ) as following:
        assert following.stdout is not None
        assert following.stderr is not None
        assert following.stderr.readline() == "waiting for later.db\n"
        path.touch()  # the initial state of a store
        asyncio.run(record("r0"))
        assert following.stderr.readline() == "waiting for run r1\n"
        asyncio.run(record("r1"))
        assert following.stdout.readline() == "12:00:00.002  run_ended\n"
        assert following.wait() == 0


def test_only_follow_waits(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "log", "r1", "--store", "later.db")
    assert done.code == 2
    assert "File 'later.db' does not exist." in done.err


def test_a_record_is_verified_against_its_head(folder: Path) -> None:
    head = toolgen(folder, "log", "head", "r1", "--store", "store.db").out.strip()
    as_json = toolgen(folder, "log", "head", "r1", "--store", "store.db", "--format", "json").json
    assert head == f"{as_json['length']}:{as_json['digest']}"
    verify = ("log", "verify", "r1", "--store", "store.db", "--head", head, "--key-file", "log.key")

    intact = toolgen(folder, *verify)
    assert (intact.code, intact.out) == (0, "r1: 8 events; the record is intact\n")

    with closing(sqlite3.connect(folder / "store.db")) as connection:
        connection.execute("DELETE FROM events WHERE run_id = 'r1' AND sequence > 5")
        connection.commit()
    cut = toolgen(folder, *verify)
    assert cut.code == 1
    assert cut.out.splitlines() == [
        "the end was truncated: the record has 6 events, and the head 8",
        "r1: the record was tampered with",
    ]
    assert toolgen(folder, *verify, "--format", "json").json == {
        "run": "r1",
        "events": 6,
        "intact": False,
        "verdict": "tampered",
        "findings": [
            {"sequence": None, "message": "the end was truncated: the record has 6 events, and the head 8"},
        ],
    }


def test_the_key_may_come_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = toolgen(folder, "log", "head", "r1", "--store", "store.db").out.strip()
    verify = ("log", "verify", "r1", "--store", "store.db", "--head", head)
    missing = toolgen(folder, *verify)
    assert missing.code == 2
    assert "The record cannot be verified: the environment has no variable TOOLGEN_LOG_KEY." in missing.err
    monkeypatch.setenv("TOOLGEN_LOG_KEY", KEY)
    assert toolgen(folder, *verify).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("log",), "Missing option '--store'. `Runtime(store=...)` and `toolgen serve --store FILE` keep a record"),
        (("log", "--store", "none.db"), "'none.db' does not exist"),
        (("log", "--store", "log.key"), "log.key: the store cannot be opened: file is not a database."),
        (("log", "r3", "--store", "store.db"), "There is no run `r3`."),
        (("log", "head", "r3", "--store", "store.db"), "There is no run `r3`."),
        (("log", "r\udcff", "--store", "store.db"), "There is no run `r\\udcff`."),
        (("log", "head", "r\udcff", "--store", "store.db"), "There is no run `r\\udcff`."),
        (("log", "--store", "x" * 300), "does not exist"),
        (("log", "--follow", "--store", "store.db"), "Pass the RUN to follow."),
        (("log", "verify", "r1", "--store", "store.db", "--head", "x"), "a head has the form LENGTH:DIGEST"),
        (
            ("log", "verify", "r1", "--store", "store.db", "--head", "1:" + "0" * 64, "--key-file", "none"),
            "the key file cannot be read: No such file or directory",
        ),
    ],
)
def test_runs_that_cannot_be_shown(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = toolgen(folder, *arguments)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err
