"""Processes: run with limits on time and output, and ended with all processes that they started.

POSIX only.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from toolgen.contract.records import PARTIAL_OUTPUT, FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta


# The output of a process: a bounded part in memory, and all of it in a file if there is more.

_CHUNK: Final = 65536
"""Bytes read from a pipe at a time; the capacity of a Linux pipe."""


class Spool:
    """A whole output, in an unnamed file that is deleted with this object.

    `size` is the number of bytes in it; if `complete` is False there were more, but no room for them.
    """

    def __init__(self, limit: int) -> None:
        self.size = 0
        self.complete = True
        self._limit = limit
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # it outlives this function
        except OSError:  # no folder for temporary files: only the part in memory is available
            self.complete = False
        else:
            weakref.finalize(self, self._file.close)

    def read(self) -> bytes:
        """Return all of it, `size` bytes."""
        if self._file is None:
            return b""
        self._file.seek(0)
        return self._file.read()

    def write(self, data: bytes) -> None:
        """Append as much as fits on the disk and within the limit."""
        if self._file is None or not self.complete:
            return
        room = data[: self._limit - self.size]
        try:
            written = self._file.write(room)
        except OSError:  # the disk is full
            written = 0
        self.size += written
        self.complete = written == len(data)


class Capture:
    """Receives an output in parts, and keeps its first or last `limit` bytes in memory.

    A longer output is written to `whole`, up to `spool_limit` bytes.
    """

    def __init__(self, limit: int, spool_limit: int, *, last: bool = False) -> None:
        self.whole: Spool | None = None
        self._limit = limit
        self._spool_limit = spool_limit
        self._last = last
        self._kept = bytearray()

    @property
    def kept(self) -> bytes:
        """The part in memory."""
        return bytes(self._kept)

    def take(self, data: bytes) -> None:
        """Receive the next part of the output."""
        if self.whole is None and len(self._kept) + len(data) > self._limit:
            self.whole = Spool(self._spool_limit)
            self.whole.write(bytes(self._kept))
        if self.whole is not None:
            self.whole.write(data)
        if self._last:
            self._kept += data
            del self._kept[: max(0, len(self._kept) - self._limit)]
        else:
            self._kept += data[: self._limit - len(self._kept)]


class PipeReader:
    """Reads a pipe whenever the event loop finds data in it. The other side blocks while it is not read.

    `ended` is done when all writers have closed it.
    """

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._pipe, self._take = pipe, take
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    def close(self) -> None:
        """Stop reading."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        if not self.ended.done():
            self.ended.set_result(None)

    def _read(self) -> None:
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._take(data)
        else:
            self.close()


class PipeWriter:
    """Writes all of `data` to a pipe, as the other side reads it, and closes it. It need not be read."""

    def __init__(self, pipe: IO[bytes], data: bytes) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe, self._rest = pipe, memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_writer(pipe.fileno(), self._write)

    def close(self) -> None:
        """Stop writing."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the reader has closed it
            self.close()
            return
        if not self._rest:
            self.close()


# Sessions: a process and all processes that it started, watched until it exits, and ended together.
#
# On Linux these are found in /proc: the processes of its session, their children, and those whose environment has the
# mark that it was started with, as that of a daemon has, which left its session and its parent. A program that also
# removes the mark from the environment of its children, and ends before they do, hides them. Elsewhere these are the
# processes of its group.

MARK: Final = "TOOLGEN_SESSION"
"""The variable with the marks of the sessions that a process belongs to, which may start each other."""

_PROC: Final = Path("/proc")
_ZOMBIE_STATES: Final = (b"Z", b"X")
_FIRST_LOOK: Final = 0.002
_LAST_LOOK: Final = 0.1
_KILLED_WITHIN: Final = 2.0
"""Seconds that the system may take to end a killed process; one that waits for a device can take longer."""


class ProcessSession:
    """A process that was started as the leader of a session, and the processes that it started.

    `exited` is done when the leader has exited. If possible, the leader is not reaped before `kill`, so that its id is
    not reused.
    """

    def __init__(self, argv: Sequence[str | bytes], *, cwd: str | None, env: Mapping[str, str], stdin: int) -> None:
        """Start a program without a terminal, with pipes for stdout and stderr. Raises what `Popen` raises."""
        self._mark = secrets.token_hex(16)
        self._known: set[tuple[int, int]] = set()
        marks = f"{os.environ.get(MARK, '')}:{self._mark}"
        self.leader = subprocess.Popen(  # noqa: S603  # earlier stages decide what may run
            argv,
            bufsize=0,
            cwd=cwd,
            env={**env, MARK: marks},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._exit_code: int | None = None
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self._pidfd = _pidfd(self.leader.pid)
        if self._pidfd is None:
            threading.Thread(target=self._wait, name=f"process-{self.leader.pid}", daemon=True).start()
        else:
            self._loop.add_reader(self._pidfd, self._set_exited)

    async def end(self, grace: float) -> None:
        """Ask all remaining processes to end, and wait up to `grace` seconds. `kill` must follow."""
        if not self._is_alive():
            return
        self._signal(signal.SIGTERM)
        deadline, look = self._loop.time() + grace, _FIRST_LOOK
        while self._is_alive() and (left := deadline - self._loop.time()) > 0:
            await asyncio.sleep(min(look, left))
            look = min(2 * look, _LAST_LOOK)

    def kill(self) -> int:
        """Kill all remaining processes, and reap the leader; return its exit code.

        It does not wait in the event loop, so that it cannot be cancelled. It blocks for the milliseconds in which the
        system ends a process, and at most `_KILLED_WITHIN` seconds. Called again, it only returns the code.
        """
        if self._exit_code is not None:
            return self._exit_code
        deadline, look = time.monotonic() + _KILLED_WITHIN, _FIRST_LOOK
        while self._is_alive() and time.monotonic() < deadline:
            self._signal(signal.SIGKILL)
            if self._pidfd is None and self.leader.poll() is not None:
                break  # remaining processes of a group cannot be distinguished from zombies
            time.sleep(look)
            look = min(2 * look, _LAST_LOOK)
        if self._pidfd is not None:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        code = self.leader.poll()
        self._exit_code = -signal.SIGKILL if code is None else code
        return self._exit_code

    def _set_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)

    def _wait(self) -> None:
        self.leader.wait()
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(self._set_exited)

    def _is_alive(self) -> bool:
        if self._pidfd is not None:
            return bool(self._living())
        if self.leader.poll() is None:
            return True
        try:
            os.killpg(self.leader.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        """Send to the group of the leader, which is atomic, and then to those with other groups."""
        leader = self.leader.pid
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, number)
        for member in self._living() if self._pidfd is not None else ():
            if member.group != leader:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(member.pid, number)

    def _living(self) -> list[_Process]:
        """Return the processes of the session, without zombies."""
        leader = self.leader.pid
        found = list(_processes())
        since = next((each.started for each in found if each.pid == leader), 0)
        members = {
            each.pid: each for each in found if each.session == leader or (each.pid, each.started) in self._known
        }
        later = [each for each in found if each.started >= since and each.pid not in members]
        mark = self._mark.encode()
        members |= {each.pid: each for each in later if _has(each.pid, mark)}
        rest = [each for each in later if each.pid not in members]
        while children := [each for each in rest if each.parent in members]:
            members |= {each.pid: each for each in children}
            rest = [each for each in rest if each.pid not in members]
        self._known |= {(each.pid, each.started) for each in members.values()}  # also after their parent has ended
        return [each for each in members.values() if each.state not in _ZOMBIE_STATES]


class _Process(NamedTuple):
    pid: int
    state: bytes
    parent: int
    group: int
    session: int
    started: int


def _pidfd(pid: int) -> int | None:
    """Open a descriptor that signals the exit of a process without reaping it; None if that is not supported."""
    if sys.platform != "linux" or not (_PROC / "self" / "stat").exists():
        return None
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # an old kernel, or a Python built for one
        return None


def _processes() -> Iterator[_Process]:
    for entry in os.listdir(_PROC):  # noqa: PTH208  # pathlib takes twice as long, and this is half of the work
        if entry.isdigit():
            try:
                stat = (_PROC / entry / "stat").read_bytes()
            except OSError:  # it is gone
                continue
            # pid (name) state parent group session … started …; a name can contain anything, also brackets (proc(5))
            fields = stat[stat.rindex(b")") + 2 :].split(b" ", 20)
            yield _Process(int(entry), fields[0], *map(int, (*fields[1:4], fields[19])))


def _has(pid: int, mark: bytes) -> bool:
    """Whether a process was started with a mark; one of another user is not looked at."""
    try:
        return mark in (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False


# Processes: runs one program within limits of time and output, and ends all its processes.
#
# POSIX only.

# The output of a program whose call was cancelled.


def report_partial(meta: ToolCallMeta, stdout: bytes, stderr: bytes) -> None:
    """Report the output so far of a call. Bytes that are not UTF-8 become U+FFFD."""
    output = {"stdout": stdout.decode(errors="replace"), "stderr": stderr.decode(errors="replace")}
    if stdout or stderr:
        meta.report({name: text for name, text in output.items() if text}, PARTIAL_OUTPUT)


MAX_ARGUMENT_BYTES: Final = 128 * 1024 - 1
"""The longest argument that Linux passes to a program (MAX_ARG_STRLEN, execve(2)), without its final NUL."""

SPOOL_BYTES: Final = 32 * 1024 * 1024

_STDIN_HINT: Final = "pass large or binary data on stdin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedProcess:
    """How a process ended. `exit_code` is -N if signal N ended it.

    `stdout` is the beginning of its output, `stderr` the end, each up to its limit. If there was more, `…_cut` is True,
    and `whole_…` has all of it, up to the limit of a spool.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    stdout_cut: bool
    stderr_cut: bool
    timed_out: bool
    whole_stdout: Spool | None = None
    whole_stderr: Spool | None = None


async def run_process(
    argv: Sequence[str],
    *,
    cwd: str | Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout_ms: int,
    stdout_bytes: int,
    stderr_bytes: int,
    grace_ms: int = 1000,
    spool_bytes: int = SPOOL_BYTES,
    on_cancel: Callable[[bytes, bytes], None] | None = None,
) -> FinishedProcess:
    """Run a program, found in the `PATH` of `env`, its complete environment, and wait for its end.

    It leads a new session, without a terminal. When it exits, when `timeout_ms` have passed, and when the call is
    cancelled, all processes that it has started get SIGTERM, and after `grace_ms` SIGKILL; output after the exit of the
    leader is awaited for the same time. Output beyond its limit is written to a file, beyond `spool_bytes` discarded.
    When the call is cancelled, `on_cancel` receives the stdout and stderr so far.

    Raises `CallFailed`, before anything starts, if an argument contains a NUL or has 128 KiB or more, if the program or
    `cwd` does not exist or may not be used, and on Windows.
    """
    output, log = Capture(stdout_bytes, spool_bytes), Capture(stderr_bytes, spool_bytes, last=True)
    session, grace = _start(_checked(argv), os.fspath(cwd), env, with_stdin=bool(stdin)), grace_ms / 1000
    process = session.leader
    assert process.stdout is not None
    assert process.stderr is not None
    writer = PipeWriter(process.stdin, stdin) if process.stdin is not None else None
    readers = [PipeReader(process.stdout, output.take), PipeReader(process.stderr, log.take)]
    all_read = [reader.ended for reader in readers]
    try:
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                await asyncio.wait([session.exited])
                await asyncio.wait(all_read, timeout=grace)
        except TimeoutError:
            pass  # `exited` shows whether the program itself took so long
        except asyncio.CancelledError:
            await session.end(grace)
            if on_cancel is not None:
                on_cancel(output.kept, log.kept)
            raise
        timed_out = not session.exited.done()
        await session.end(grace)
        exit_code = session.kill()
        await asyncio.wait(all_read, timeout=grace)  # the rest of the pipes; a daemon may keep them open
    finally:
        session.kill()
        for pipe in (writer, *readers):
            if pipe is not None:
                pipe.close()
    return FinishedProcess(
        exit_code=exit_code,
        stdout=output.kept,
        stderr=log.kept,
        stdout_cut=output.whole is not None,
        stderr_cut=log.whole is not None,
        timed_out=timed_out,
        whole_stdout=output.whole,
        whole_stderr=log.whole,
    )


def _checked(argv: Sequence[str]) -> list[bytes]:
    """Encode the arguments as UTF-8 in any locale, and reject those that cannot be passed unchanged."""
    if not argv:
        raise CallFailed(FailureKind.INVALID_CALL, "empty_command", "the command is empty", "name a program to run")
    encoded: list[bytes] = []
    for position, argument in enumerate(argv):
        name = f"argument {position}" if position else "the program's name"
        try:
            data = argument.encode("utf-8", "surrogateescape")  # file names may contain other bytes
        except UnicodeEncodeError:
            raise CallFailed(
                FailureKind.INVALID_CALL, "argument_not_text", f"{name} contains a lone surrogate"
            ) from None
        if b"\0" in data:
            raise CallFailed(
                FailureKind.INVALID_CALL,
                "argument_holds_nul",
                f"{name} contains a NUL character, which arguments of programs cannot contain",
                _STDIN_HINT,
            )
        if len(data) > MAX_ARGUMENT_BYTES:
            raise CallFailed(
                FailureKind.INVALID_CALL,
                "argument_too_long",
                f"{name} has {len(data)} bytes; an argument of a program can have at most {MAX_ARGUMENT_BYTES}",
                _STDIN_HINT,
            )
        encoded.append(data)
    return encoded


def _start(argv: list[bytes], cwd: str, env: Mapping[str, str], *, with_stdin: bool) -> ProcessSession:
    if os.name != "posix":
        raise CallFailed(FailureKind.UNAVAILABLE, "unsupported_platform", "programs cannot be run on this platform")
    program = Path(os.fsdecode(argv[0])).name
    try:
        return ProcessSession(argv, cwd=cwd, env=env, stdin=subprocess.PIPE if with_stdin else subprocess.DEVNULL)
    except OSError as error:
        raise _not_started(error, program, cwd) from error
    except ValueError as error:
        raise CallFailed(
            FailureKind.UNAVAILABLE, "cannot_start", f"{program} cannot be started: a variable or folder contains a NUL"
        ) from error


def _not_started(error: OSError, program: str, cwd: str) -> CallFailed:
    if error.filename == cwd:  # the change of directory failed
        code, reason = "cwd_not_accessible", "cannot be entered"
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            code, reason = "cwd_not_found", "does not exist"
        return CallFailed(FailureKind.UNAVAILABLE, code, f"the folder that {program} runs in {reason}")
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return CallFailed(
                FailureKind.UNAVAILABLE,
                "program_not_found",
                f"the program {program} was not found",
                "it is not installed, not in PATH, or a script whose interpreter is missing",
            )
        case PermissionError():
            return CallFailed(
                FailureKind.UNAVAILABLE, "program_not_executable", f"the program {program} is not executable"
            )
        case _ if error.errno == errno.ENOEXEC:
            return CallFailed(
                FailureKind.UNAVAILABLE,
                "program_not_executable",
                f"the file {program} is not a program",
                "a script needs `#!` and its interpreter in its first line",
            )
        case _ if error.errno == errno.E2BIG:
            return CallFailed(
                FailureKind.INVALID_CALL,
                "arguments_too_long",
                f"the arguments of {program} are too long together",
                _STDIN_HINT,
            )
        case _:
            return CallFailed(FailureKind.UNAVAILABLE, "cannot_start", f"{program} cannot be started: {error.strerror}")


# The output of a process as it comes, for programs that can be ended as soon as enough of it was read.


class OutputStream:
    """A program whose stdout is read as it comes; a context manager that ends the program.

    The program blocks while nothing reads. It gets the arguments, the folder and the environment as by `run_process`,
    and raises the same.
    """

    def __init__(self, argv: Sequence[str], *, cwd: str | Path, env: Mapping[str, str], stderr_bytes: int) -> None:
        self._log = Capture(stderr_bytes, SPOOL_BYTES, last=True)
        self._session = _start(_checked(argv), os.fspath(cwd), env, with_stdin=False)
        process = self._session.leader
        assert process.stdout is not None
        assert process.stderr is not None
        os.set_blocking(process.stdout.fileno(), False)
        self._stdout = process.stdout
        self._stderr = PipeReader(process.stderr, self._log.take)

    @property
    def leader(self) -> int:
        """The id of the process."""
        return self._session.leader.pid

    def __enter__(self) -> OutputStream:
        return self

    def __exit__(self, *_error: object) -> None:
        self._session.kill()
        self._stdout.close()
        self._stderr.close()

    async def read(self) -> bytes:
        """Wait for the next part of stdout; empty at its end."""
        loop, stdout = asyncio.get_running_loop(), self._stdout.fileno()
        is_readable = asyncio.Event()
        loop.add_reader(stdout, is_readable.set)
        try:
            await is_readable.wait()
            return os.read(stdout, _CHUNK)
        finally:
            loop.remove_reader(stdout)

    async def wait(self) -> tuple[int, bytes]:
        """Wait for the end of the program and its stderr; return the exit code, and the end of stderr."""
        await asyncio.wait([self._session.exited, self._stderr.ended])
        return self._session.kill(), self._log.kept
