"""What commands say is true: of databases that are not there, and of what is needed to run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.engine import RunRequest
from toolgen.engine.dbos import DbosEngine, database_url
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUNS: dict[str, tuple[str, ...]] = {
    "list": (),
    "show": ("r1",),
    "cancel": ("r1",),
    "resume": ("r1",),
    "approve": ("r1",),
    "deny": ("r1", "c1"),
    "prune": ("--older-than", "1"),
}


@pytest.mark.parametrize("command", RUNS)
def test_runs_makes_no_database_and_says_that_there_is_none(tmp_path: Path, command: str) -> None:
    for name in ("runs.db", f"sqlite:///{tmp_path}/runs.db"):
        done = toolgen(tmp_path, "runs", command, *RUNS[command], "--database", name)
        assert (done.code, "Traceback" in done.err) == (2, False), done.err
        assert "there is no file" in done.err
        assert "toolgen worker" in done.err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty.db").touch()
    done = toolgen(tmp_path, "runs", command, *RUNS[command], "--database", "empty.db")
    assert (done.code, "Traceback" in done.err) == (2, False), done.err
    assert "the database has no tables of runs: a worker makes them when it starts" in done.err


@pytest.mark.parametrize("waits", [True, False])
def test_an_engine_that_is_asked_before_its_tables_exist_says_so(
    tmp_path: Path, waits: bool, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Callable[[DbosEngine], Any]] = [
        lambda engine: engine.start(RunRequest(messages=(), run_id="r1")),
        lambda engine: engine.result("r1", 5),
        lambda engine: engine.cancel("r1"),
        lambda engine: engine.resume("r1"),
        lambda engine: engine.prune(1),
        lambda engine: engine.approvals("r1"),
        lambda engine: engine.decide("r1", "c1", PermissionDecision(decision=Decision.DENY)),
        lambda engine: engine.info("r1"),
        lambda engine: engine.runs(),
        lambda engine: engine.timeline("r1"),
    ]

    async def body() -> None:
        engine = DbosEngine(database_url(tmp_path / "runs.db"), waits=waits)
        try:
            for each in asked:
                with pytest.raises(StoreError, match="the database has no tables of runs"):
                    await asyncio.wait_for(each(engine), 20)
        finally:
            await engine.close()

    asyncio.run(body())
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("arguments", "is_of_usage"),
    [
        (("biuld",), True),
        (("build", "--chekc"), True),
        (("call",), True),
        (("runs", "lst"), True),
        (("list", "too", "many"), True),
        (("docs", "--history", "x"), True),
        (("build",), False),
        (("call", "x"), False),
        (("schema", "-o", "no/\0"), False),
        (("runs", "list", "--database", "none.db"), False),
        (("import", "mcp", "none.json", "--toolset", "mcp.x"), False),
        (("import", "openapi", "none.json", "--toolset", "x"), False),
        (("init", "new"), False),
    ],
)
def test_usage_is_printed_for_errors_of_usage_only(
    tmp_path: Path, arguments: tuple[str, ...], is_of_usage: bool
) -> None:
    if arguments[0] == "init":
        (tmp_path / "new").mkdir()
        (tmp_path / "new/toolgen.toml").write_text("")
    done = toolgen(tmp_path, *(each.replace("\0", "n" * 300) for each in arguments))
    assert done.code == 2, done.err
    assert ("Usage:" in done.err, "Traceback" in done.err) == (is_of_usage, False), done.err
    assert "Error: " in done.err
