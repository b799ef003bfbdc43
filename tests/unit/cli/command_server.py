"""Command server: an interpreter that has imported the command line, and forks for each command.

A command runs in a separate process, since generated packages stay imported in a process. A fork takes a third of the
time of a new interpreter, which imports everything. The imports of commands and their start from a shell are tested
elsewhere: `tests/project/test_imports.py`, `tests/project/test_wheel.py`, and every guide.

Run as a module it takes a socket by its descriptor. A message is one byte with four files: the command as JSON, then
stdin, stdout and stderr. The answer is the exit code as text.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
from functools import partial
from importlib import import_module
from typing import Final

from tests.unit.cli.forked_python import LIBRARIES, leave
from toolgen.cli import main as toolgen
from toolgen.cli.commands import COMMANDS, module_of

MODULES: Final = (
    *map(module_of, COMMANDS),
    *("toolgen.cli.front", "toolgen.compiler.build", "toolgen.compiler.documents", "toolgen.compiler.resolve"),
    *("toolgen.compiler.source.read", "toolgen.llm", "toolgen.runtime.calls", "rich.progress"),
    *("jsonschema", *LIBRARIES),
)


def main(connection: socket.socket) -> None:
    """Answer until the other end is closed."""
    for name in MODULES:
        import_module(name)
    gc.freeze()  # garbage collection in a child would copy the memory that it shares with this process
    while True:
        message, files, _, _ = socket.recv_fds(connection, 1, 4)
        if not message:
            return
        child = os.fork()
        if child == 0:
            connection.close()
            leave(partial(_command, *files))
        for file in files:
            os.close(file)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(f"{code}\n".encode())


def _command(request: int, *streams: int) -> None:
    """Do what `python -m toolgen` does, with the arguments and in the environment that `request` holds."""
    for stream, file in enumerate(streams):
        os.dup2(file, stream)
        os.close(file)
    with os.fdopen(request, encoding="utf-8") as asked:
        arguments, environment = json.load(asked)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["toolgen", *arguments]
    toolgen()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
