"""Command line: toolgen as a user runs it in a folder, with its output and exit code."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import Fork

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
    """Run a command in a folder, in a fork, because generated packages stay imported in a process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with TemporaryFile() as input_, TemporaryFile() as out, TemporaryFile() as err:
        input_.write(stdin.encode())
        input_.seek(0)
        streams = [file.fileno() for file in (input_, out, err)]
        command = ["-m", "toolgen", "-C", str(folder), *arguments]
        code = Fork(command, environment=environment, folder=ROOT, streams=streams).wait()
        for file in (out, err):
            file.seek(0)
        return Finished(code, *(file.read().decode().replace("\r\n", "\n") for file in (out, err)))
