"""`toolgen dev` on a terminal: the real process, real edits, and what an emulator of a terminal shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.diff.repository import ORDERS, Project
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

from tests.unit.authoring.dev.terminal import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("dev"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

DEV = ("-m", "toolgen", "dev")
FORKING = """
import sys
sys.executable = {python!r}
sys.argv = ["toolgen", "dev"]
from toolgen.cli import main
main()
"""
"""The command, with its parts in forks."""

COLOR = re.compile(rb"\x1b\[[0-9;]*m")
LEFT = b"\x1b[?1049l"
"""The sequence that leaves the alternate screen."""

HOSTILE = "\x1b]0;owned\x07\x1b[5m\u202e[b]"
SHOWN = r"\x1b]0;owned\x07\x1b[5m\u202e[b]"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / ".gitignore").write_text(".toolgen\ngenerated\n")
    return Project(tmp_path)


def forking() -> tuple[str, str]:
    return "-c", FORKING.format(python=forked_python())


def complete(text: str) -> bool:
    """Whether no part of the page is awaited."""
    return "Surface" in text and "stale" not in text and "computed now" not in text


def processes_of(terminal: Terminal) -> dict[str, int]:
    """Return the processes of parts, by the name of the part."""
    rows = subprocess.run(["ps", "-axwwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    found: dict[str, int] = {}
    for row in rows.splitlines():
        pid, parent, args = row.split(None, 2)
        if int(parent) == terminal.process.pid and (part := re.search(r"main\('(\w+)'\)", args)):
            found[part[1]] = int(pid)
    return found


def test_the_page_follows_edits_commits_and_sizes_until_ctrl_c(project: Project) -> None:
    with Terminal(project.folder, *forking()) as terminal:
        first = terminal.until(complete)
        assert first.startswith(f"toolgen dev  {project.folder.name}  last build at ")
        assert "generated: " in first
        assert "note[TL101] specs/orders.yaml:8: `customer` of `shop.orders.find` has no description" in first
        assert re.search(r"^Changes against the commit \w+\nno changes$", first, re.MULTILINE)
        assert "enumerate-all (chat, step, phase): 1 tool, " in first
        terminal.type("typed\r\n")

        project.edit(("maximum: 50", "maximum: 20"), ("Find orders.", "Find orders of a customer."))
        changed = terminal.until(lambda text: complete(text) and "WIRE203" in text)
        assert "WIRE: 1 breaking (WIRE203)" in changed
        assert "breaking[WIRE203 arg-narrowed] shop.orders.find: the arg `limit` accepts fewer values" in changed
        assert "(specs/orders.yaml:9)" in changed
        assert "change[MODEL102 description-changed] shop.orders.find: " in changed
        assert "enumerate-all (chat, step, phase): 1 tool, " in changed
        assert re.search(r"^  shop\.orders\.find \d+ \(\+14\)$", changed, re.MULTILINE)
        assert b"typed" not in terminal.sent

        terminal.resize(46, 60)
        narrow = terminal.until(lambda text: "breaking[WIRE203 arg-narrowed]\n" in text)
        assert "CODE" not in narrow
        assert "the arg `limit` accepts fewer values (specs/orders.yaml:9)" in " ".join(narrow.split())
        terminal.resize(46, 14)
        terminal.until(lambda text: "… and 2 more" in text and "… 5 in all" in text)
        terminal.resize(100, 40)

        project.commit()
        assert "no changes" in terminal.until(lambda text: complete(text) and "no changes" in text)
        assert terminal.process.poll() is None

        terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.current_settings == terminal.settings
        assert LEFT in terminal.sent
        assert terminal.sent.endswith(b"\r\nstopped\r\n")
        assert COLOR.search(terminal.sent)


@pytest.mark.long
def test_no_part_waits_for_another_and_what_is_not_current_is_marked(project: Project) -> None:
    with Terminal(project.folder, *DEV) as terminal:
        terminal.until(complete)
        processes = processes_of(terminal)
        assert set(processes) == {"build", "lint", "changes", "surface"}
        for slow in ("changes", "lint"):
            os.kill(processes[slow], signal.SIGSTOP)

        broken = ORDERS.replace("customer: string", f"customer: {json.dumps(HOSTILE)}")
        project.write(broken.replace("shop.orders", "shop.carts"), f"specs/{HOSTILE}.yaml")
        shown = terminal.until(lambda text: f"error[TG201] specs/{SHOWN}.yaml:8: `{SHOWN}` is" in text)
        assert "generated: not built" in shown
        assert "Problems [lint stale]" in shown
        assert "Changes [stale] against" in shown

        for slow in ("changes", "lint"):
            os.kill(processes[slow], signal.SIGCONT)
        shown = terminal.until(lambda text: complete(text) and "lint waits for specs without errors" in text)
        assert re.search(
            r"^Changes \[of \d\d:\d\d:\d\d: the specs of the working tree have errors\] against", shown, re.MULTILINE
        )
        assert "enumerate-all (chat, step, phase): 1 tool, " in shown
        assert toolgen(project.folder, "list").code == 1
        assert (project.folder / "generated" / "catalog.json").exists()

        (project.folder / "specs" / f"{HOSTILE}.yaml").unlink()
        os.kill(processes["surface"], signal.SIGKILL)
        project.edit()
        terminal.until(lambda text: "the process of this part ended (-9)" in text)
        project.edit(("Find orders.", "Find all orders."))
        terminal.until(lambda text: complete(text) and "(+4)" in text)

        project.write("[[targets]]\nout = 1\n", "toolgen.toml")
        shown = terminal.until(lambda text: "TG705" in text)
        assert "not built: the configuration has errors" in shown
        assert "Changes [stale]" in shown
        project.write('[[targets]]\nspecs = "elsewhere"\n', "toolgen.toml")
        terminal.until("the `specs` folder `elsewhere` of a target does not exist")
        project.write('[[targets]]\nspecs = "specs"\n', "toolgen.toml")
        terminal.until(lambda text: complete(text) and "no changes" not in text and "MODEL102" in text)

        terminal.process.terminate()
        assert terminal.end() == 143
        assert not any(text in terminal.sent for text in (b"owned\x07", b"\x1b[5m", "\u202e".encode()))
        assert terminal.current_settings == terminal.settings
        assert LEFT in terminal.sent


def test_without_colour_nothing_is_coloured(project: Project) -> None:
    with Terminal(project.folder, *forking(), NO_COLOR="1") as terminal:
        terminal.until("Surface")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert not COLOR.search(terminal.sent)
        assert LEFT in terminal.sent


FAILING = """
import sys
sys.executable = {python!r}
import toolgen.authoring.dev.loop as loop

def versions(root):
    yield loop.Version(loop.Config(root))
    raise OSError("the disk is gone")

loop.versions = versions
sys.argv = ["toolgen", "dev"]
from toolgen.cli import main
main()
"""


def test_the_terminal_is_restored_after_an_error(project: Project) -> None:
    with Terminal(project.folder, "-c", FAILING.format(python=forked_python())) as terminal:
        assert terminal.end() == 3
        assert terminal.current_settings == terminal.settings
        before, _, after = terminal.sent.rpartition(LEFT)
        assert b"toolgen dev" in before
        assert b"OSError: the disk is gone" in after


STOPPING = """
import os, signal, sys
sys.executable = {python!r}
from toolgen.authoring.dev.terminal import Screen

show, close, drawn = Screen.show, Screen.close, []

def stopping(screen, page):
    drawn.append("begun")
    if len(drawn) == 1:
        os.kill(os.getpid(), signal.SIGTSTP)
    try:
        show(screen, page)
    finally:  # Ctrl-C may end it
        drawn.append("drawn")

def closing(screen):
    assert drawn[-1] == "drawn"
    close(screen)

Screen.show, Screen.close = stopping, closing
sys.argv = ["toolgen", "dev"]
from toolgen.cli import main
main()
"""


def test_it_leaves_the_terminal_while_it_is_stopped_which_waits_until_the_page_is_drawn(project: Project) -> None:
    with Terminal(project.folder, "-c", STOPPING.format(python=forked_python())) as terminal:
        assert os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1])
        assert terminal.current_settings == terminal.settings
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(lambda _text: b"Problems" in terminal.sent.partition(LEFT)[2])
        assert terminal.current_settings != terminal.settings
        terminal.type("\x03")
        assert terminal.end() == 130


@pytest.mark.long
def test_on_a_dumb_terminal_each_change_is_a_block_of_plain_text(project: Project) -> None:
    with Terminal(project.folder, *forking(), columns=200, lines=100, TERM="dumb") as terminal:
        terminal.until("watching for changes")
        project.edit(("maximum: 50", "maximum: 20"), ("default: 10", "default: ten"))
        text = terminal.until(lambda text: text.count("watching for changes") == 2)
        terminal.type("\x03")
        assert terminal.end() == 130
        assert b"\x1b" not in terminal.sent
    first, second = text.split("watching for changes\n")[:2]
    assert re.match(r"\d\d:\d\d:\d\d started\n", first)
    for title in ("Problems of the build\n  none", "Problems by lint  ", "Changes against", "Surface with openai"):
        assert title in first
    assert re.match(r"\n\d\d:\d\d:\d\d specs/orders.yaml changed\n", second)
    assert "Problems of the build  1 warning\n  warning[TG208] specs/orders.yaml:9: " in second
    assert "  breaking[WIRE203 arg-narrowed]" in second
