"""`NO_COLOR` and `TERM=dumb`: no command uses colour."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("plain output")

SPEC = """\
toolgen: 1
toolset: shop
tools: {buy: {description: Buy., permission: write, args: {}, result: integer}}
"""
COLOR = re.compile(rb"\x1b\[[0-9;]*m")
SLOW = """\
import time
from toolgen.cli.output import progress
with progress() as stage:
    stage("waiting")
    time.sleep(1.6)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(SPEC)
    (tmp_path / "toolgen.toml").write_text('executors = {shop = "app:Shop"}\n')
    (tmp_path / "app.py").write_text("class Shop:\n    def buy(self, args, meta):\n        return 1\n")
    return tmp_path


def on_terminal(folder: Path, *arguments: str, **environment: str) -> bytes:
    """Return the output of a command on a terminal. A question is answered with no."""
    person, program = pty.openpty()
    inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM", "FORCE_COLOR")}
    shown = b""
    with subprocess.Popen(
        [forked_python(), *arguments],
        stdin=program,
        stdout=program,
        stderr=program,
        cwd=folder,
        env={**inherited, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environment},
    ):
        os.close(program)
        with suppress(OSError):  # the other end was closed
            while part := os.read(person, 65536):
                shown += part
                if shown.endswith(b"[n] no: "):
                    os.write(person, b"n\n")
    os.close(person)
    return shown


def broken(folder: Path) -> None:
    (folder / "specs/broken.yaml").write_text("toolgen: [\n")


def test_output_on_a_terminal_is_coloured(folder: Path) -> None:
    broken(folder)

    assert b"\x1b[1;31merror[TG003]\x1b[0m" in on_terminal(folder, "-m", "toolgen", "build")
    assert b"\x1b[1;31merror[TG003]\x1b[0m" in on_terminal(folder, "-m", "toolgen", "build", NO_COLOR="")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}])
def test_no_command_uses_colour_if_disabled(folder: Path, environment: dict[str, str]) -> None:
    built = on_terminal(folder, "-m", "toolgen", "build", **environment)
    shown = on_terminal(folder, "-m", "toolgen", "show", "buy", **environment)
    helped = on_terminal(folder, "-m", "toolgen", "--help", **environment)
    misspelt = on_terminal(folder, "-m", "toolgen", "shwo", **environment)
    broken(folder)
    refused = on_terminal(folder, "-m", "toolgen", "build", **environment)

    assert b"written" in built
    assert b"error[TG003]" in refused
    sent = built + shown + helped + misspelt + refused
    assert not COLOR.search(sent)
    if "TERM" in environment:
        assert b"\x1b" not in sent


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_question_at_the_terminal_has_no_escape_sequences(folder: Path, environment: dict[str, str]) -> None:
    on_terminal(folder, "-m", "toolgen", "build")
    asked = on_terminal(folder, "-m", "toolgen", "call", "buy", **environment)

    assert b"shop.buy asks to run" in asked
    assert b"\x1b" not in asked


def test_progress_is_shown_without_colour_if_disabled(folder: Path) -> None:
    moving, plain = on_terminal(folder, "-c", SLOW), on_terminal(folder, "-c", SLOW, NO_COLOR="1")

    assert b"waiting" in moving
    assert b"waiting" in plain
    assert COLOR.search(moving)
    assert not COLOR.search(plain)


def test_a_dumb_terminal_shows_no_progress(folder: Path) -> None:
    assert on_terminal(folder, "-c", SLOW, TERM="dumb") == b""


def test_a_command_that_ends_at_once_shows_no_progress_and_is_not_held_up(folder: Path) -> None:
    quick = SLOW.replace("    time.sleep(1.6)\n", "").replace("import progress\n", "import progress\n{}")
    quick = quick.format("import toolgen.cli.output\ntoolgen.cli.output._PATIENCE = 8.0\n")
    assert on_terminal(folder, "-c", quick) == b""
