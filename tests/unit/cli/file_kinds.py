"""File kinds: what may be in place of an expected file, and commands that access it, each in a separate process.

As a module it reads cases as JSON from stdin and prints their outcomes: one process imports toolgen and forks for each
command, so that hundreds of commands take seconds. A command that hangs or uses too much memory is killed.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

FOREIGN: Final = "not-to-be-shown"
_TEXT: Final = f"{FOREIGN}: {FOREIGN}: 1\n"
_NAMES: Final = ("shop.yaml", "toolgen.lock", "__init__.py", "catalog.json", "forward.json", "vectors.db", "0")
_SECONDS: Final = 20
_MEMORY: Final = 4 << 30

KINDS: Final = (
    *("pipe", "device", "leads out", "folder leads out", "socket", "folder", "loop", "dangling"),
    *("unreadable", "empty", "huge", "not UTF-8", "NUL"),
)


@dataclass(frozen=True)
class Case:
    """A command in a copy of `project` with something of a kind at `place`."""

    project: str
    place: str
    kind: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """How it ended; the code is None if it was killed. `outside` is whether files outside are unchanged."""

    code: int | None
    printed: str
    outside: bool


def put(place: Path, kind: str, outside: Path) -> None:
    """Replace a place by something of a kind. `outside` contains foreign files."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "socket":
            _bind(place)
        case "device":
            place.symlink_to("/dev/zero")
        case "leads out":
            place.symlink_to(outside / "file")
        case "folder leads out":
            place.symlink_to(outside / "folder")
        case "loop":
            place.symlink_to(place.name)
        case "dangling":
            place.symlink_to(outside / "nothing")
        case "unreadable":
            place.write_text(FOREIGN)
            place.chmod(0)
        case "huge":
            with place.open("wb") as file:
                file.truncate(1 << 30)
        case "not UTF-8":
            place.write_bytes(b"a: \xff\xfe\n")
        case "NUL":
            place.write_bytes(b"\0" * 1000)
        case _:
            place.write_bytes(b"")


def _bind(place: Path) -> None:
    """Bind a socket. Its path is limited to about 100 bytes; an open folder shortens it."""
    descriptor = os.open(place.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"/proc/self/fd/{descriptor}/{place.name}")
    finally:
        os.close(descriptor)


def run(case: Case) -> Outcome:
    """Run one case, in a child."""
    with tempfile.TemporaryDirectory(dir=Path(case.project).parent) as folder:
        project, outside = Path(folder, "project"), Path(folder, "outside")
        shutil.copytree(case.project, project)
        (outside / "folder").mkdir(parents=True)
        foreign = [outside / "file", *(outside / "folder" / name for name in _NAMES)]
        for each in foreign:
            each.write_text(_TEXT)
        put(project / case.place, case.kind, outside)
        printed = Path(folder, "printed")
        with printed.open("wb") as output:
            child = os.fork()
            if child == 0:
                _command(project, case.arguments, output.fileno())
        code = _wait(child)
        present = {each: each.read_text() for each in outside.rglob("*") if each.is_file()}
        return Outcome(code, printed.read_text(errors="replace"), present == dict.fromkeys(foreign, _TEXT))


def _command(project: Path, arguments: tuple[str, ...], output: int) -> None:
    from toolgen.cli.front import run as run_command

    try:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(project)
        sys.path.insert(0, str(project))
        code = run_command(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    finally:
        os._exit(99)


def _wait(child: int) -> int | None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def main() -> None:
    """Read cases and print outcomes."""
    from importlib import import_module

    from toolgen.cli.commands import COMMANDS, module_of

    for name in COMMANDS:
        import_module(module_of(name))
    for module in ("toolgen.compiler.resolve", "toolgen.compiler.source.read", "toolgen.compiler.documents"):
        import_module(module)
    cases = [Case(**{**each, "arguments": tuple(each["arguments"])}) for each in json.load(sys.stdin)]
    json.dump([asdict(run(case)) for case in cases], sys.stdout)


if __name__ == "__main__":
    main()
