"""Command line: toolgen as a user runs it in a folder, with its output and exit code."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Finished:
    """One run of one command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return its output with `--format json`."""
        return json.loads(self.out)


def toolgen(folder: Path, *arguments: str, stdin: str = "") -> Finished:
    """Run a command in a folder, in a separate process, because generated packages stay imported in a process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with TemporaryFile() as request, TemporaryFile() as input_, TemporaryFile() as out, TemporaryFile() as err:
        request.write(json.dumps((["-C", str(folder), *arguments], environment)).encode())
        input_.write(stdin.encode())
        for file in (request, input_):
            file.seek(0)
        socket.send_fds(_server(), [b"."], [file.fileno() for file in (request, input_, out, err)])
        with _server().makefile("rb") as answers:
            code = int(answers.readline())
        for file in (out, err):
            file.seek(0)
        return Finished(code, *(file.read().decode().replace("\r\n", "\n") for file in (out, err)))


@cache
def _server() -> socket.socket:
    """Start the process that forks for each command. It ends with this one."""
    here, there = socket.socketpair()
    command = [sys.executable, "-m", "tests.unit.cli.command_server", str(there.fileno())]
    server = subprocess.Popen(command, cwd=ROOT, pass_fds=[there.fileno()])
    there.close()

    def end() -> None:
        here.close()
        server.wait()

    atexit.register(end)
    return here
