"""Real processes: their input, the stored output, and complete cleanup."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.open_files import open_files
from toolgen.contract.records import FailureKind
from toolgen.execute.processes import MARK, FinishedProcess, OutputStream, run_process
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}

PROGRAMS_THAT_STAY = {
    "a child": "sleep 60",
    "a child that ignores SIGTERM": "trap '' TERM; sleep 60",
    "a child in the background": "sleep 60 & wait",
    "a child that prints to nobody": "sleep 60 >/dev/null 2>&1 & wait",
    "a grandchild": "sh -c 'sh -c \"sleep 60\"; true'; true",
    "a group of its own": "timeout 60 sleep 60",
    "a stubborn group of its own": "timeout 60 sh -c 'trap \"\" TERM; sleep 60; sleep 60'",
    "one that was stopped": "sh -c 'kill -STOP $$'; sleep 60",
    "many": "for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait",
    "a session of its own": "setsid -w sleep 60",
    "a daemon": "(setsid setsid sleep 60 &); sleep 60",
    "a stubborn daemon": "(setsid setsid sh -c 'trap \"\" TERM; sleep 60; sleep 60' &); sleep 60",
    "a session without its environment": "env -i setsid -w sleep 60",
    "one that starts others while it ends": "trap 'sleep 60 & sleep 60' TERM; sleep 60 & wait",
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="survivors are searched in /proc")


async def start(argv: Sequence[str], **options: Any) -> FinishedProcess:
    defaults: dict[str, Any] = {
        "cwd": "/",
        "env": ENVIRONMENT,
        "timeout_ms": 30_000,
        "stdout_bytes": 1000,
        "stderr_bytes": 1000,
        "grace_ms": 100,
    }
    return await run_process(argv, **{**defaults, **options})


def run(argv: Sequence[str], **options: Any) -> FinishedProcess:
    return asyncio.run(start(argv, **options))


def shell(line: str, **options: Any) -> FinishedProcess:
    return run(["sh", "-c", line], **options)


def refused(argv: Sequence[str], **options: Any) -> CallFailed:
    with pytest.raises(CallFailed) as raised:
        run(argv, **options)
    return raised.value


def survivors(folder: Path) -> list[int]:
    """Return the processes running in a folder, in any session, without zombies."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.joinpath("cwd").readlink() == folder.resolve():
                found.append(int(entry.name))
        except OSError:  # it has ended, or belongs to another user
            continue
    return found


async def until_started(folder: Path, starting: asyncio.Task[FinishedProcess]) -> None:
    while not survivors(folder):
        assert not starting.done(), starting.result()
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)


def until_ended(folder: Path) -> None:
    """Wait for killed processes whose end is not observable, up to the timeout of the test."""
    while survivors(folder):
        time.sleep(0.005)


def test_a_program_runs_to_its_end() -> None:
    finished = shell("printf out; printf err >&2; exit 7")
    assert finished == FinishedProcess(
        exit_code=7, stdout=b"out", stderr=b"err", stdout_cut=False, stderr_cut=False, timed_out=False
    )
    assert shell("kill -TERM $$").exit_code == -15


def test_arguments_are_passed_unchanged_in_utf_8() -> None:
    arguments = ["a b", "", "'\"\\$`*", "é日\U0001f600", "\n", "-n", "\udc80"]
    printed = run(["sh", "-c", 'printf "[%s]" "$@"', "sh", *arguments]).stdout
    assert printed == b"".join(b"[%s]" % each.encode("utf-8", "surrogateescape") for each in arguments)


def test_reg_62_the_environment_is_exactly_the_given_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s")
    given = [{"A": "1", "B": "é"}, {"PATH": "/usr/bin:/bin"}]
    for environment in given:
        *own, mark = run(["/usr/bin/env"], env=environment).stdout.decode().splitlines()
        assert own == [f"{name}={value}" for name, value in environment.items()]
        assert mark.startswith(f"{MARK}=")


def test_a_program_has_no_terminal_and_no_other_descriptors(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        assert shell("ls /proc/self/fd | wc -l; ls -l /proc/self/fd | grep -c open").stdout == b"4\n0\n"
    assert shell("(: </dev/tty) 2>/dev/null && echo terminal; cat; echo end").stdout == b"end\n"


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_000])
def test_stdin_is_written_while_stdout_is_read(size: int) -> None:
    data = os.urandom(size)
    assert run(["cat"], stdin=data, stdout_bytes=size).stdout == data


def test_a_program_need_not_read_stdin() -> None:
    assert run(["true"], stdin=bytes(3_000_000)).exit_code == 0
    assert shell("exec <&-; sleep 0.05; echo on", stdin=bytes(3_000_000)).stdout == b"on\n"


def test_output_is_kept_up_to_its_limit_and_completely_in_a_file() -> None:
    script = "i=0; while [ $i -lt 1000 ]; do echo $i; echo $i >&2; i=$((i+1)); done"
    whole = "".join(f"{i}\n" for i in range(1000)).encode()
    finished = shell(script, stdout_bytes=50, stderr_bytes=60)
    assert (finished.stdout, finished.stderr) == (whole[:50], whole[-60:])
    assert finished.stdout_cut
    assert finished.stderr_cut
    for spool in (finished.whole_stdout, finished.whole_stderr):
        assert spool is not None
        assert (spool.read(), spool.size, spool.complete) == (whole, len(whole), True)
        assert spool.read() == whole


@pytest.mark.parametrize(("limit", "cut"), [(0, True), (4, True), (5, False), (6, False)])
def test_reg_64_one_byte_beyond_the_limit_is_cut(limit: int, cut: bool) -> None:
    finished = shell("printf 12345; printf 12345 >&2", stdout_bytes=limit, stderr_bytes=limit)
    assert (finished.stdout, finished.stdout_cut) == (b"12345"[:limit], cut)
    assert (finished.stderr, finished.stderr_cut) == (b"12345"[5 - min(limit, 5) :], cut)


def test_output_beyond_the_file_limit_is_discarded_and_the_program_continues() -> None:
    finished = shell("head -c 1000000 /dev/zero; exit 3", stdout_bytes=10, spool_bytes=100_000)
    assert finished.exit_code == 3
    assert finished.whole_stdout is not None
    assert (finished.whole_stdout.size, finished.whole_stdout.complete) == (100_000, False)
    assert finished.whole_stdout.read() == bytes(100_000)


def test_without_space_for_a_file_only_the_beginning_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    finished = shell("head -c 100000 /dev/zero", stdout_bytes=10)
    assert (finished.exit_code, finished.stdout) == (0, bytes(10))
    assert finished.whole_stdout is not None
    assert (finished.whole_stdout.read(), finished.whole_stdout.complete) == (b"", False)


def test_reg_63_an_endless_output_ends_with_the_timeout() -> None:
    finished = run(["yes"], timeout_ms=200, spool_bytes=1_000_000)
    assert finished.timed_out
    assert finished.stdout == b"y\n" * 500


def test_reg_63_output_before_the_timeout_is_kept() -> None:
    finished = shell("printf early; trap 'printf late; exit 1' TERM; sleep 60 & wait", timeout_ms=200)
    assert (finished.timed_out, finished.stdout, finished.exit_code) == (True, b"earlylate", 1)


@pytest.mark.parametrize("program", PROGRAMS_THAT_STAY)
def test_reg_63_a_timeout_leaves_nothing_running(program: str, tmp_path: Path) -> None:
    finished = shell(PROGRAMS_THAT_STAY[program], cwd=tmp_path, timeout_ms=150)
    assert finished.timed_out
    assert survivors(tmp_path) == []


@pytest.mark.parametrize("program", PROGRAMS_THAT_STAY)
def test_reg_63_cancellation_leaves_nothing_running(program: str, tmp_path: Path) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(start(["sh", "-c", PROGRAMS_THAT_STAY[program]], cwd=tmp_path))
        await until_started(tmp_path, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert survivors(tmp_path) == []

    asyncio.run(cancel())


def test_a_second_cancellation_kills_a_program_at_once(tmp_path: Path) -> None:
    async def cancel() -> None:
        line = PROGRAMS_THAT_STAY["a child that ignores SIGTERM"]
        task = asyncio.create_task(start(["sh", "-c", line], cwd=tmp_path, grace_ms=60_000))
        await until_started(tmp_path, task)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.05)
        assert task.done()
        assert survivors(tmp_path) == []

    asyncio.run(cancel())


def test_shutting_down_the_loop_leaves_nothing_running(tmp_path: Path) -> None:
    tasks: list[asyncio.Task[FinishedProcess]] = []

    async def leave() -> None:
        tasks.append(asyncio.create_task(start(["sleep", "60"], cwd=tmp_path)))
        await until_started(tmp_path, tasks[0])

    asyncio.run(leave())
    assert tasks[0].cancelled()
    assert survivors(tmp_path) == []


@pytest.mark.parametrize(
    "line",
    [
        "sleep 60 & echo hi",
        "sleep 60 >/dev/null 2>&1 & echo hi",
        "timeout 60 sleep 60 & echo hi",
        "setsid sleep 60 & echo hi",
        "(setsid setsid sleep 60 >/dev/null 2>&1 &); echo hi; sleep 0.1",
    ],
)
def test_reg_69_background_processes_end_with_their_program(line: str, tmp_path: Path) -> None:
    finished = shell(line, cwd=tmp_path)
    assert (finished.exit_code, finished.stdout, finished.timed_out) == (0, b"hi\n", False)
    assert survivors(tmp_path) == []


def test_output_pending_when_the_leader_exits_is_awaited() -> None:
    assert shell("(sleep 0.1; echo late) & echo early", grace_ms=5000).stdout == b"early\nlate\n"


def test_processes_that_others_started_meanwhile_go_on(tmp_path: Path) -> None:
    async def both() -> None:
        line = "until [ -e over ]; do sleep 0.05; done; printf done"
        longer = asyncio.create_task(start(["sh", "-c", line], cwd=tmp_path))
        await until_started(tmp_path, longer)
        shorter = await start(["sh", "-c", "sleep 60 & echo hi"])
        (tmp_path / "over").touch()
        assert (shorter.stdout, (await longer).stdout) == (b"hi\n", b"done")

    asyncio.run(both())


def test_a_session_in_a_session_belongs_to_both(tmp_path: Path) -> None:
    code = f"""
import asyncio
from toolgen.execute.processes import run_process
asyncio.run(run_process(["sleep", "60"], cwd={str(tmp_path)!r}, env={ENVIRONMENT!r}, timeout_ms=60_000, stdout_bytes=9,
    stderr_bytes=9))
"""

    async def kill() -> None:
        outer = asyncio.create_task(start([sys.executable, "-c", code], cwd="/", env=dict(os.environ)))
        await until_started(tmp_path, outer)
        outer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await outer
        assert survivors(tmp_path) == []

    asyncio.run(kill())


@pytest.mark.parametrize("program", ["a child", "a child that ignores SIGTERM", "a child in the background", "many"])
def test_without_session_support_the_process_group_is_killed(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.pidfd_open")
    assert shell("printf out; exit 7").exit_code == 7
    assert shell(PROGRAMS_THAT_STAY[program], cwd=tmp_path, timeout_ms=150).timed_out
    until_ended(tmp_path)
    assert shell("sleep 60 & echo hi", cwd=tmp_path).stdout == b"hi\n"
    until_ended(tmp_path)


def test_no_descriptors_are_left_open(tmp_path: Path) -> None:
    shell("echo hi")
    before = open_files()
    runs: list[tuple[str, dict[str, Any]]] = [
        ("echo hi", {}),
        ("cat", {"stdin": bytes(100_000)}),
        ("true", {"stdin": bytes(1_000_000)}),
        ("sleep 60", {"timeout_ms": 20}),
        ("head -c 100000 /dev/zero", {}),
    ]
    for line, options in runs:
        shell(line, **options)
    for wrong in (["nothing-of-that-name"], [str(tmp_path)], ["a\0"]):
        refused(wrong)
    assert open_files() <= before


def test_many_programs_run_concurrently() -> None:
    async def together() -> list[FinishedProcess]:
        return await asyncio.gather(*(start(["sh", "-c", f"sleep 0.0{n % 10}; echo {n}"]) for n in range(40)))

    assert [int(finished.stdout) for finished in asyncio.run(together())] == list(range(40))


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        ([], "empty_command", "the command is empty"),
        (["no\0name"], "argument_holds_nul", "the program's name contains a NUL character"),
        (["touch", "a", "b\0c"], "argument_holds_nul", "argument 2 contains a NUL character"),
        (["touch", "\ud800"], "argument_not_text", "argument 1 contains a lone surrogate"),
        (
            ["touch", "x" * 131_072],
            "argument_too_long",
            "argument 1 has 131072 bytes; an argument of a program can have at most",
        ),
        (["touch", *["x" * 131_071] * 40], "arguments_too_long", "the arguments of touch are too long together"),
    ],
)
def test_reg_59_arguments_are_refused_before_anything_starts(
    argv: list[str], code: str, message: str, tmp_path: Path
) -> None:
    error = refused(argv, cwd=tmp_path)
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, code)
    assert error.message.startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_reg_59_the_longest_argument_arrives() -> None:
    assert run(["printf", "%s", "x" * 131_071], stdout_bytes=200_000).stdout == b"x" * 131_071


def test_programs_and_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("echo hi")
    (tmp_path / "no_shebang").write_bytes(b"\x00\x01\x02")
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    for name in ("no_shebang", "lost"):
        (tmp_path / name).chmod(0o755)
    failures: list[tuple[list[str], dict[str, Any], str, str]] = [
        (["nothing-of-that-name"], {}, "program_not_found", "the program nothing-of-that-name was not found"),
        (["./nothing"], {}, "program_not_found", "the program nothing was not found"),
        (["./lost"], {}, "program_not_found", "the program lost was not found"),
        (["./plain"], {}, "program_not_executable", "the program plain is not executable"),
        (["./no_shebang"], {}, "program_not_executable", "the file no_shebang is not a program"),
        (["ls"], {"cwd": tmp_path / "gone"}, "cwd_not_found", "the folder that ls runs in does not exist"),
        (["ls"], {"cwd": tmp_path / "plain"}, "cwd_not_found", "the folder that ls runs in does not exist"),
        (["ls"], {"cwd": "a\0b"}, "cannot_start", "ls cannot be started: a variable or folder contains a NUL"),
    ]
    for argv, options, code, message in failures:
        error = refused(argv, **{"cwd": tmp_path, **options})
        assert (error.kind, error.code, error.message) == (FailureKind.UNAVAILABLE, code, message)
        assert str(tmp_path) not in error.message + error.hint


def test_other_platforms_are_reported_as_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    async def go() -> None:
        with monkeypatch.context() as patched:
            patched.setattr("os.name", "nt")
            with pytest.raises(CallFailed) as raised:
                await start(["ls"])
        assert raised.value.code == "unsupported_platform"

    asyncio.run(go())


def test_an_output_is_read_as_it_comes_and_the_program_ends_when_it_is_no_longer_read() -> None:
    async def read() -> int:
        argv = ["sh", "-c", "echo first; sleep 0.1; echo second; exec yes"]
        with OutputStream(argv, cwd="/", env=ENVIRONMENT, stderr_bytes=100) as output:
            assert await output.read() == b"first\n"
            assert (await output.read()).startswith(b"second\n")
            return output.leader

    leader = asyncio.run(read())
    with pytest.raises(ProcessLookupError):
        os.kill(leader, 0)


def test_the_end_of_a_program_whose_output_was_read_is_known() -> None:
    async def read() -> tuple[bytes, tuple[int, bytes]]:
        argv = ["sh", "-c", "head -c 1000000 /dev/zero; echo failed >&2; exit 3"]
        with OutputStream(argv, cwd="/", env=ENVIRONMENT, stderr_bytes=5) as output:
            data = bytearray()
            while part := await output.read():
                data += part
            return bytes(data), await output.wait()

    assert asyncio.run(read()) == (bytes(1_000_000), (3, b"iled\n"))
