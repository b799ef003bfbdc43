"""Signals that end a command end all that it started, as Ctrl-C does."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.cli.forked_python import forked_python
from toolgen.cli.commands import COMMANDS, SERVING
from toolgen.cli.front import run

SERVER = """\
import os, pathlib, signal, subprocess, sys, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("started.part").write_text(f"{os.getpid()} {helper.pid}")
os.rename("started.part", "started")
time.sleep(600)  # it answers nothing, and does not read its stdin to the end
"""
WITHIN = 60.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")


def wait_until_started(process: subprocess.Popen[str], folder: Path) -> list[int]:
    """Wait until the server of a command runs; return its process, and that which it started."""
    deadline = time.monotonic() + WITHIN
    while not (folder / "started").exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return [int(each) for each in (folder / "started").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("number", "ignored", "code"),
    [
        (signal.SIGTERM, None, 143),
        (signal.SIGTERM, signal.SIGINT, 143),  # a job in the background of a script
        (signal.SIGHUP, None, 129),
        (signal.SIGINT, None, 130),
        (signal.SIGTERM, signal.SIGHUP, 143),  # `nohup`
    ],
)
@pytest.mark.variants(2)
def test_a_signal_ends_the_server_that_a_command_started(
    tmp_path: Path, number: signal.Signals, ignored: signal.Signals | None, code: int
) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "s.py").write_text(SERVER)
    words = ["import", "mcp", "--stdio", f"{shlex.quote(sys.executable)} s.py", "--toolset", "mcp.slow", "--yes"]
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may be started by `nohup`
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)
        python = sys.executable if ignored else forked_python()  # a fork does not inherit what is ignored
        command = [python, "-m", "toolgen", *words]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True, start_new_session=True)
    finally:
        signal.signal(signal.SIGHUP, before)
        signal.signal(signal.SIGINT, interrupt)
    with process:
        started = wait_until_started(process, tmp_path)
        assert all(map(is_running, started))
        if ignored is signal.SIGHUP:
            process.send_signal(signal.SIGHUP)  # which has no effect
        process.send_signal(number)
        out, error = process.communicate(timeout=WITHIN)
    assert (process.returncode, out, error.strip()) == (code, "", "stopped")
    assert not any(map(is_running, started))
    assert not list((tmp_path / "specs").iterdir())


def test_handlers_are_those_that_were_there_when_a_command_has_ended(capsys: pytest.CaptureFixture[str]) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    assert run(["explain", "208"]) == 0
    assert capsys.readouterr().out
    assert before == [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]


def test_commands_that_serve_are_commands() -> None:
    assert COMMANDS.keys() > SERVING
