"""A command at a terminal, whose question a person answers once it is shown."""

from __future__ import annotations

import os
import pty
import subprocess
from typing import TYPE_CHECKING

from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = b"[y/N]: "


def at_terminal(
    folder: Path, *arguments: str, answer: str = "y\n", typed_before: str = "", question: bytes = QUESTION
) -> str:
    """Run a command in a folder, answer its question if it asks one, and return what the terminal shows."""
    person, terminal = pty.openpty()
    os.write(person, typed_before.encode())
    running = subprocess.Popen(
        [forked_python(), "-m", "toolgen", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=terminal,
        stderr=terminal,
        stdout=subprocess.PIPE,
    )
    os.close(terminal)
    shown, is_answered = b"", False
    while True:
        try:
            read = os.read(person, 4096)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        shown += read
        if not is_answered and shown.endswith(question):
            os.write(person, answer.encode())
            is_answered = True
    running.communicate(timeout=60)
    os.close(person)
    return shown.decode().replace("\r\n", "\n")
