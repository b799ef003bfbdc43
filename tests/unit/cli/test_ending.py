"""Commands that make calls end, whatever handlers do: a thread cannot be cancelled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """\
  {0}:
    description: Does what its name says.
    permission: readonly
    args: {{}}
    limits: {{timeout_ms: {1}}}
    handler: app:{0}
"""
TOOLS = {"blocked": 500, "waiting": 0, "swallowing": 0, "leaving": 500, "slow": 500}
SPEC = "toolgen: 1\ntoolset: k.t\ntools:\n" + "".join(TOOL.format(*each) for each in TOOLS.items())

APP = """\
import asyncio
import atexit
import time
from pathlib import Path
from threading import Event, Thread

HERE = Path(__file__).parent
atexit.register(lambda: (HERE / "exited").touch())

def blocked():
    Event().wait()

def waiting():
    (HERE / "started").touch()
    Event().wait()

async def swallowing():
    (HERE / "started").touch()
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

def leaving():
    Thread(target=Event().wait, name="left").start()
    return 1

async def ends(how):
    from tests.unit.runtime.endings import IN_OWN_LOOPS
    await IN_OWN_LOOPS[how]()

def slow():
    time.sleep(2)
    (HERE / "written").touch()
"""

SPEC += """\
  ends:
    description: Ends as no tool should.
    permission: readonly
    args: {how: string}
    handler: app:ends
"""

SECONDS = 60.0
"""Far more than a command takes that cuts off, and far less than a handler that never returns."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project that is built."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/a.yaml").write_text(SPEC)
    (tmp_path / "app.py").write_text(APP)
    built = toolgen(tmp_path, "build")
    assert built.code == 0, built.err
    return tmp_path


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolgen", "-C", str(folder), "call", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that Ctrl-C reaches it alone
    )


def test_a_call_ends_though_its_handler_never_returns(folder: Path) -> None:
    with started(folder, "k.t.blocked", "--format", "json") as left, started(folder, "k.t.leaving") as leaving:
        out, err = left.communicate(timeout=SECONDS)
        assert left.returncode == 1
        assert '"code": "timeout"' in out
        (line,) = err.splitlines()
        assert line.startswith("cut off: asyncio_0 in blocked (app.py:")
        assert (folder / "exited").exists()

        out, err = leaving.communicate(timeout=SECONDS)
        assert (leaving.returncode, out) == (0, "1\n")
        assert err.startswith("cut off: left in ")


def test_a_handler_that_returns_in_time_is_not_cut_off(folder: Path) -> None:
    with started(folder, "k.t.slow") as process:
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert "cut off" not in err
    assert (folder / "written").exists()


@pytest.mark.parametrize(
    ("tool", "presses", "said"),
    [
        ("waiting", 1, "stopped\ncut off: asyncio_0 in waiting (app.py:"),
        ("waiting", 2, "stopped\ncut off: asyncio_0 in waiting (app.py:"),
        ("swallowing", 1, "cut off: "),
    ],
)
@pytest.mark.variants(1)
def test_ctrl_c_ends_a_call_whatever_its_handler_does(folder: Path, tool: str, presses: int, said: str) -> None:
    with started(folder, f"k.t.{tool}") as process:
        until = time.monotonic() + SECONDS
        while not (folder / "started").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        begin = time.monotonic()
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
            time.sleep(1)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert err.lstrip().startswith(said)
    assert "Traceback" not in err
    assert presses == 1 or time.monotonic() - begin < 8


@pytest.mark.parametrize("how", ["an interruption", "cancels itself", "an exit in groups", "starts a task that exits"])
@pytest.mark.variants(2)
def test_a_tool_that_would_end_the_command_is_a_failed_call(folder: Path, how: str) -> None:
    with started(folder, "k.t.ends", json.dumps({"how": how}), "--format", "json") as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, json.loads(out)["error"]["kind"]) in [(1, "internal"), (1, "aborted")], err
    assert "stopped" not in err
