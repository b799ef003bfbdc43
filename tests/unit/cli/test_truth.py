"""What commands say is true: of databases that are not there, and of what is needed to run."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
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
    "prune": ("--older-than", "1d", "--yes"),
    "workers": (),
    "signal": ("r1", "go"),
    "fork": ("r1", "1"),
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
        lambda engine: engine.decide("r1", "c1", PermissionDecision(decision=Decision.DENY), by="ana"),
        lambda engine: engine.info("r1"),
        lambda engine: engine.runs(),
        lambda engine: engine.timeline("r1"),
        lambda engine: engine.workers(),
        lambda engine: engine.retention(),
        lambda engine: engine.signals("r1"),
        lambda engine: engine.signal("r1", "go", by="ana"),
        lambda engine: engine.schedules(),
        lambda engine: engine.fork("r1", 1),
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


# --- an image: a package and a configuration, no specs and no compiler

NO_COMPILER = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NotInstalled())
sys.path.insert(0, {root!r})
from toolgen.cli import main

main()
"""
COMPILER = ("datamodel_code_generator", "ruff", "genson", "docstring_parser", "jinja2", "rich")
LIMITED = """\
toolgen: 1
toolset: shop
tools:
  find: {description: Find., permission: readonly, args: {name: string}, result: string, handler: app:find}
  send:
    {description: Send., permission: readonly, args: {}, result: string, handler: app:send, limits: {daily_limit: 3}}
"""
APP = """
from toolgen.engine.host import EngineHost
from toolgen.execute import specified_executors
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.approval import ask_before_call

def find(name: str) -> str: return name
def send() -> str: return "sent"

def host(engine):
    catalog = load("shop_tools")
    runtime = Runtime(catalog, executors=specified_executors(catalog), permission=ask_before_call)
    return EngineHost(runtime, {})
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package, its handlers and a configuration."""
    made = tmp_path_factory.mktemp("made")
    (made / "specs").mkdir()
    (made / "specs/shop.yaml").write_text(LIMITED)
    (made / "app.py").write_text(APP)
    (made / "toolgen.toml").write_text('targets = [{ specs = "specs", out = "shop_tools" }]\n')
    assert toolgen(made, "build").code == 0
    image = tmp_path_factory.mktemp("image")
    for name in ("app.py", "toolgen.toml"):
        shutil.copy(made / name, image / name)
    shutil.copytree(made / "shop_tools", image / "shop_tools")
    return image


def start(image: Path, *arguments: str, names: tuple[str, ...] = COMPILER) -> subprocess.Popen[str]:
    code = NO_COMPILER.format(names=names, root=str(ROOT))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=image, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_an_image_without_specs_and_compiler_serves_and_calls(image: Path) -> None:
    called = start(image, "call", "shop.find", '{"name": "lamp"}', "--yes", names=(*COMPILER, "yaml"))
    out, err = called.communicate(timeout=60)
    assert (called.returncode, out) == (0, '"lamp"\n'), err
    for options in ((), ("--user", "ana")):
        served = start(image, "serve", *options, names=(*COMPILER, "yaml"))
        _, err = served.communicate("", timeout=60)
        assert (served.returncode, "serving 2 tools" in err) == (0, True), err
        warned = "no call of shop.send will run: there are limits per user, and there is no user; give --user" in err
        assert warned == (not options), err


def test_an_image_without_specs_and_compiler_executes_runs(image: Path, tmp_path: Path) -> None:
    worker = start(image, "worker", "app:host", "--database", str(tmp_path / "runs.db"))
    assert worker.stderr is not None
    said = ""
    for line in worker.stderr:
        said += line
        if "executes runs" in line:
            break
    worker.send_signal(signal.SIGTERM)
    _, err = worker.communicate(timeout=60)
    assert worker.returncode == 0, said + err


def test_a_folder_without_specs_and_package_says_so(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('targets = [{ specs = "specs", out = "generated" }]\n')
    for command in (["serve"], ["call", "x"]):
        done = toolgen(tmp_path, *command)
        assert (done.code, "There are neither specs in specs nor a package in generated." in done.err) == (2, True)
    (tmp_path / "toolgen.toml").unlink()
    assert "There is no project here" in toolgen(tmp_path, "serve").err
