"""Forked Python: a program `python` whose interpreters are forks of one that has imported toolgen and its libraries.

A new interpreter needs a second to import the SDK of MCP, the libraries of the compiler and toolgen itself, and as much
to complete the models of spec files, compile templates and load a tokenizer. A fork has all that, and imports what is
left, such as generated packages and frameworks for agents. The program has its own signals, exit code,
environment, folder and standard streams, and is killed with its launcher. What commands import, and how they start from
a shell, is tested elsewhere: `tests/project/test_imports.py`, `tests/unit/cli/test_start_up.py`,
`tests/project/test_wheel.py`, and every guide.

Run as a module it is the server, which all workers of a test session share: it takes the path of its socket. Options
other than `-m` and `-c`, also after `-P`, and streams that are closed, start a new interpreter.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from pkgutil import walk_packages
from select import select
from tempfile import TemporaryDirectory, gettempdir
from types import ModuleType
from typing import TYPE_CHECKING, Final, NoReturn

import toolgen
from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pydantic import BaseModel

LIBRARIES: Final = (
    *(
        "click",
        "datamodel_code_generator.parser.jsonschema",
        "jinja2",
        "jsonschema",
        "jsonschema_rs",
        "pydantic",
        "yaml",
    ),
    *("mcp.client.stdio", "mcp.client.streamable_http", "mcp.server.lowlevel", "mcp.server.stdio", "mcp.server.sse"),
    *(
        "dbos",
        "fastapi",
        "httpx2",
        "rich.console",
        "rich.progress",
        "sqlalchemy.dialects.postgresql",
        "starlette.applications",
    ),
    "uvicorn",
)
WITH_FRAMEWORKS: Final = ("toolgen.__main__", "toolgen.adapters", "toolgen.testing", "toolgen.toolsets")
"""Modules of toolgen that the server does not import, with those below them."""

_SPEC: Final = """\
toolgen: 1
toolset: shop
tools:
  find: {description: Find orders., permission: readonly, args: {customer: string}, result: [{id: integer}]}
"""

_STARTING: Final = threading.RLock()
"""Threads of a test start programs at the same time: one of them starts the server."""

# A shell finds Python: the first line of a script cannot have a path with spaces.
_LAUNCHER: Final = """\
#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
' '''
import os, sys
import _signal as signal, _socket as socket  # without Python's own modules, which take as long as the rest
is_closed = not all(os.path.exists(f"/dev/fd/{{number}}") for number in range(3))
first = next((word for word in sys.argv[1:] if word != "-P"), "-")
if is_closed or first.startswith("-") and first not in ("-m", "-c"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
words = [os.getcwdb(), b"%d" % (len(sys.argv) - 1), *map(os.fsencode, sys.argv[1:])]
asked = b"\\0".join([*words, *(name + b"=" + value for name, value in os.environb.items())])
files = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
server.sendmsg([len(asked).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
server.sendall(asked)
program = int.from_bytes(server.recv(4), "big")
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(program, number))
code = int.from_bytes(server.recv(4), "big", signed=True)
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


def forked_python() -> str:
    """Return the path of the program `python`, alone in its folder. It can be started as long as this process runs."""
    with _STARTING:
        return _program()


@cache
def _program() -> str:
    listening = _server()
    program = Path(listening).parent / str(os.getpid()) / "python"
    program.parent.mkdir()
    program.write_text(_LAUNCHER.format(python=sys.executable, path=listening), encoding="utf-8")
    program.chmod(0o700)
    return str(program)


class Fork:
    """A fork that runs a program, without a launcher: what `subprocess.Popen` is for a new interpreter.

    `streams` are the descriptors of its input and of its two outputs. It is killed with this process.
    """

    def __init__(
        self, arguments: Sequence[str], *, environment: Mapping[str, str], folder: Path, streams: Sequence[int]
    ) -> None:
        self.returncode: int | None = None
        self._server = socket.socket(socket.AF_UNIX)
        with _STARTING:
            path = _server()
        self._server.connect(path)
        words = [str(folder), str(len(arguments)), *arguments]
        asked = os.fsencode("\0".join([*words, *(f"{name}={value}" for name, value in environment.items())]))
        socket.send_fds(self._server, [len(asked).to_bytes(4, "big")], streams)
        self._server.sendall(asked)
        self.pid = int.from_bytes(self._server.recv(4), "big")

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Return the exit code, or None while the program runs."""
        return self._ended(0)

    def wait(self, seconds: float | None = None) -> int:
        """Return the exit code, once there is one. Raises `TimeoutError` if it takes longer."""
        code = self._ended(seconds)
        if code is None:
            msg = f"the program {self.pid} runs after {seconds} s"
            raise TimeoutError(msg)
        return code

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None and select([self._server], [], [], seconds)[0]:
            self.returncode = int.from_bytes(self._server.recv(4), "big", signed=True)
            self._server.close()
        return self.returncode


_ONLY_USED: Final = bytes(4)
"""What a process sends that asks for no program: the size of one is never 0."""


@cache
def _server() -> str:
    """Return the path of the socket of the server, which is started if there is none, and runs as long as this process.

    Its folder is locked while a process looks for the server, and while the server removes it, before it ends.
    """
    folder = Path(gettempdir()) / f"forked-python-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    listening = str(folder / "socket")
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with _locked(folder):
            if not folder.exists():  # the server that was here has ended
                continue
            try:
                _use(listening)
            except (ConnectionRefusedError, FileNotFoundError):  # it was killed, or there was none
                Path(listening).unlink(missing_ok=True)
                _start(listening)
                _use(listening)
            return listening


def _use(listening: str) -> None:
    """Connect to the server, and stay connected: it ends when no process is."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.connect(listening)
        server.sendall(_ONLY_USED)
        assert server.recv(1)
        atexit.register(stack.pop_all().close)


@contextmanager
def _locked(folder: Path, *, waits: bool = True) -> Iterator[None]:
    """Lock a folder. Raises `BlockingIOError` if another process has locked it and this one does not wait."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        yield
    finally:
        os.close(lock)


def _start(listening: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-m", "tests.unit.cli.forked_python", listening]
    server = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True
    )
    assert server.stdout is not None
    with server.stdout as said:
        assert said.readline() == b"ready\n"
    server.returncode = 0  # it is left to itself


def _serve(path: str) -> list[str]:
    """Fork for each connection. Only a child returns, with the arguments of its program."""
    own = (found.name for found in walk_packages(toolgen.__path__, "toolgen."))
    for name in (*LIBRARIES, *(name for name in own if not name.startswith(WITH_FRAMEWORKS))):
        import_module(name)
    warm_up()
    del sys.path[0]  # the checkout, which `python -m` has added
    gc.freeze()  # garbage collection in a child would copy the memory that it shares with this process
    launchers: dict[socket.socket, int] = {}
    users: set[socket.socket] = set()
    ended, wakes = socket.socketpair()
    for each in (ended, wakes):
        each.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as selector:
        listening.bind(path)
        listening.listen(64)
        for each in (listening, ended):
            selector.register(each, selectors.EVENT_READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            for key, _ in selector.select(None if users else 1):
                found = key.fileobj
                if found is listening:
                    launcher, _ = listening.accept()
                    size, files, _, _ = socket.recv_fds(launcher, 4, 3)
                    if size == _ONLY_USED:
                        users.add(launcher)
                        selector.register(launcher, selectors.EVENT_READ)
                        with suppress(OSError):  # it is gone
                            launcher.sendall(b"1")
                        continue
                    with launcher.makefile("rb") as request:
                        asked = request.read(int.from_bytes(size, "big"))
                    if len(files) < 3 or len(asked) < int.from_bytes(size, "big"):  # it was killed as it began
                        for file in files:
                            os.close(file)
                        launcher.close()
                        continue
                    program = os.fork()
                    if program == 0:
                        break
                    for file in files:
                        os.close(file)
                    with suppress(OSError):  # it was killed meanwhile: the selector tells
                        launcher.sendall(program.to_bytes(4, "big"))
                    launchers[launcher] = program
                    selector.register(launcher, selectors.EVENT_READ)
                elif found is ended:
                    ended.recv(1024)
                elif isinstance(found, socket.socket):  # who was connected is gone
                    selector.unregister(found)
                    if found in users:
                        users.remove(found)
                        found.close()
                    else:
                        with suppress(ProcessLookupError):
                            os.killpg(launchers[found], signal.SIGKILL)
            else:
                _reap(launchers, selector)
                if not users:
                    _end(Path(path).parent)
                continue
            break
    for other in (*users, *launchers, launcher, ended, wakes):
        other.close()
    return _become(files, asked)


def _end(folder: Path) -> None:
    """End the server, unless a process is about to use it."""
    with suppress(BlockingIOError), _locked(folder, waits=False):
        shutil.rmtree(folder)
        os._exit(0)


def warm_up() -> None:
    """Do once what lasts as long as a process, so that no fork does it again."""
    from toolgen.authoring.lint.lint import lint
    from toolgen.authoring.site.build import TEMPLATES
    from toolgen.compiler.compile import compile_specs, generate, read_files
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.base import SharedFile
    from toolgen.compiler.documents.evaluation import EvalFile
    from toolgen.compiler.documents.read import HEADS, known_keys
    from toolgen.compiler.emit.templates import _environment, templates_folder
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Config, Target
    from toolgen.llm.costs import token_counter
    from toolgen.pages.rendering import environment
    from toolgen.search.synonyms import related

    models: list[type[BaseModel]] = [*HEADS.values(), SharedFile, EvalFile]
    for model in models:
        model.model_rebuild()
        known_keys(model, ())
    for templates, folder in ((_environment(), templates_folder()), (environment(TEMPLATES), TEMPLATES)):
        for template in folder.glob("*.jinja"):
            templates.get_template(template.name)
    target, sink = Target(), Diagnostics()
    with TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "specs").mkdir()
        (root / "specs" / "shop.yaml").write_text(_SPEC, encoding="utf-8")
        compile_specs(root, target, sink, cache=Cache(root / "cache", b"secret"))
        kept = compile_specs(root, target, sink, cache=Cache(root / "cache", b"secret"))
        generate(kept.catalog)
        lint(Config(root, (target,)), {target: read_files(root, target, sink)})
    token_counter()
    related()


def _reap(launchers: dict[socket.socket, int], selector: selectors.BaseSelector) -> None:
    """Pass on the exit codes of programs that have ended."""
    for launcher, program in list(launchers.items()):
        found, status = os.waitpid(program, os.WNOHANG)
        if found:
            with suppress(OSError):  # the launcher is gone
                launcher.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
            with suppress(KeyError):
                selector.unregister(launcher)
            launcher.close()
            del launchers[launcher]


def _become(files: list[int], asked: bytes) -> list[str]:
    """Take over the streams, the environment and the folder of a launcher; return its arguments."""
    os.setsid()  # the program and those that it starts are killed together
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGHUP):  # the tests may be started by `nohup`
        signal.signal(number, signal.SIG_DFL)
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    folder, count, *words = os.fsdecode(asked).split("\0")
    arguments = words[: int(count)]
    environment = dict(word.split("=", 1) for word in words[int(count) :])
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    if environment.get("PYTHONUNBUFFERED"):
        sys.stdout = TextIOWrapper(open(1, "wb", 0, closefd=False), "utf-8", write_through=True)  # noqa: SIM115  # it stays open
    sys.path[:0] = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return arguments


def leave(run: Callable[[], object]) -> NoReturn:
    """Run what a fork is for, and end as an interpreter does, without destroying its objects.

    To destroy them copies all memory that a fork shares with its server, which takes ten times as long as the fork.
    """
    code: object = 0
    try:
        run()
    except SystemExit as end:
        code = end.code
    except BaseException as error:  # noqa: BLE001  # as an interpreter does
        sys.excepthook(type(error), error, error.__traceback__)
        code = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    threading._shutdown()  # type: ignore[attr-defined]  # what an interpreter calls, as the next one
    atexit._run_exitfuncs()
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    for stream, failed in ((sys.stdout, 120), (sys.stderr, None)):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = failed or code
    if code == -signal.SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code & 0xFF if isinstance(code, int) else 1 if code else 0)


def _run(arguments: list[str]) -> None:
    """Run a program as an interpreter does with the same arguments."""
    is_safe = arguments[0] == "-P"
    first, *rest = arguments[is_safe:]
    if first == "-m":
        import runpy

        sys.path[:0] = [] if is_safe else [str(Path.cwd())]
        sys.argv = rest
        runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]  # what `python -m` calls
        return
    is_code = first == "-c"
    sys.path[:0] = [] if is_safe else ["" if is_code else str(Path(first).resolve().parent)]
    sys.argv = ["-c", *rest[1:]] if is_code else [first, *rest]
    main = ModuleType("__main__")
    if not is_code:
        main.__file__ = first
    text = rest[0] if is_code else Path(first).read_text(encoding="utf-8")
    sys.modules["__main__"] = main
    exec(compile(text, "<string>" if is_code else first, "exec"), main.__dict__)  # noqa: S102  # it is a program


if __name__ == "__main__":
    program = _serve(sys.argv[1])
    leave(lambda: _run(program))
