"""Processes: runs one program within limits of time and output, and ends all its processes.

POSIX only.
"""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import PARTIAL_OUTPUT, FailureKind
from toolgen.execute.processes.output import Capture, PipeReader, PipeWriter
from toolgen.execute.processes.session import ProcessSession
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.execute.processes.output import Spool


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
    if os.name != "posix":
        raise CallFailed(FailureKind.UNAVAILABLE, "unsupported_platform", "programs cannot be run on this platform")
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
