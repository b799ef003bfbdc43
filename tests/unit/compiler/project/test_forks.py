"""Forked processes: what they give back, what becomes of one that fails, and that none is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.open_files import open_files
from tests.project.checkout import ROOT
from toolgen.compiler.project.forks import MOST, quotas, run_forked, usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


def fail() -> bytes:
    raise ValueError("this part fails")


def give_what_cannot_be_pickled() -> object:
    return lambda: None


def children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")


def shown(program: subprocess.Popen[str]) -> str:
    """Return what a program shows until it ends."""
    out, _ = program.communicate(timeout=60)
    return out


def python(code: str) -> subprocess.Popen[str]:
    """Start a program of its own process group."""
    given = [sys.executable, "-c", f"import os, signal, time\nfrom toolgen.compiler.project.forks import *\n{code}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(given, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.slow
def test_results_are_in_the_order_of_parts_whatever_their_size() -> None:
    before, already_open = children(), open_files()

    made = run_forked([partial(bytes, size) for size in (3_000_000, 0, 70_000)])

    assert [len(each or b"") for each in made] == [3_000_000, 0, 70_000]
    assert children() == before
    assert open_files() <= already_open


def meet(own: tuple[int, int], other: tuple[int, int]) -> int:
    """Tell another part that this one runs, and wait until it does."""
    os.write(own[1], b"x")
    assert os.read(other[0], 1)
    return os.getpid()


def test_parts_run_at_once_in_processes_of_their_own() -> None:
    one, other = os.pipe(), os.pipe()

    made = run_forked([partial(meet, one, other), partial(meet, other, one)])
    for place in (*one, *other):
        os.close(place)

    assert len({*made, os.getpid()} - {None}) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        fail,
        give_what_cannot_be_pickled,
        partial(os._exit, 0),
        partial(os._exit, 3),
        partial(signal.raise_signal, signal.SIGKILL),
        partial(sys.exit, 0),
    ],
    ids=["an error", "no pickle", "an exit", "a code", "a signal", "SystemExit"],
)
@pytest.mark.variants(2)
def test_a_part_that_fails_gives_nothing_and_shows_nothing(
    part: Callable[[], object], capfd: pytest.CaptureFixture[str]
) -> None:
    before, already_open = children(), open_files()

    parts: list[Callable[[], object]] = [partial(int, 1), part, partial(int, 2)]

    assert run_forked(parts) == [1, None, 2]
    assert children() == before
    assert open_files() <= already_open
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fork", "pipe"])
def test_where_no_more_processes_can_be_started_there_is_no_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, already_open = children(), open_files()
    real, calls = getattr(os, name), 0

    def at_most_one() -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise BlockingIOError("no more of them")
        return real()

    monkeypatch.setattr(os, name, at_most_one)

    assert run_forked([partial(int, 1), partial(int, 2)]) == [1, None]
    assert children() == before
    assert open_files() <= already_open


def assert_ended(process: int) -> None:
    """Wait until a process that is no child of this one has ended."""
    while Path(f"/proc/{process}").exists() and "State:\tZ" not in Path(f"/proc/{process}/status").read_text("ascii"):
        time.sleep(0.01)


def test_an_interrupt_ends_all_parts() -> None:
    program = python(
        "def part():\n"
        "    os.write(1, f'{os.getpid()}\\n'.encode())\n"
        "    while True: time.sleep(1)\n"
        "try:\n"
        "    run_forked([part, part])\n"
        "except KeyboardInterrupt:\n"
        "    os.write(1, b'interrupted\\n')\n"
    )
    assert program.stdout is not None
    parts = [int(program.stdout.readline()) for _ in range(2)]
    os.killpg(program.pid, signal.SIGINT)

    assert shown(program) == "interrupted\n"
    assert program.returncode == 0
    for part in parts:
        assert_ended(part)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(0, 20, 3))
def test_an_interrupt_at_any_moment_leaves_no_part(moment: int) -> None:
    program = python(
        "from functools import partial\n"
        "from threading import Timer\n"
        "try:\n"
        f"    Timer({moment / 10_000}, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    run_forked([partial(bytes, 1_000_000)] * 8)\n"
        "    time.sleep(1)\n"
        "except KeyboardInterrupt:\n"
        "    try:\n"
        "        os.waitpid(-1, os.WNOHANG)\n"
        "    except ChildProcessError:\n"
        "        os.write(1, b'no part is left\\n')\n"
    )

    assert shown(program) == "no part is left\n"


def test_parts_end_where_their_caller_was_killed() -> None:
    program = python(
        "def part():\n"
        "    os.write(1, f'{os.getpid()}\\n'.encode())\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    return bytes(1_000_000)\n"
        "run_forked([part, part, part])\n"
    )

    parts = shown(program).split()

    assert parts
    for part in parts:
        assert_ended(int(part))


def test_a_process_that_may_use_one_core_is_told_so() -> None:
    one = python(f"os.sched_setaffinity(0, [{min(os.sched_getaffinity(0))}])\nprint(usable_cores())")

    assert shown(one) == "1\n"
    assert 1 <= usable_cores() <= min(len(os.sched_getaffinity(0)), MOST)


@pytest.mark.parametrize(
    ("groups", "files", "limits"),
    [
        ("0::/\n", {}, []),
        ("", {}, []),
        ("nonsense\n0::\n", {"cpu.max": "max 100000\n"}, []),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, [1.5]),
        ("0::/a/b\n", {"cpu.max": "400000 100000", "a/cpu.max": "100000 100000", "a/b/cpu.max": "max 100000"}, [1, 4]),
        ("0::/host/path\n", {"cpu.max": "50000 100000"}, [0.5]),
        ("0::/../other\n", {"cpu.max": "50000 100000"}, [0.5]),
        ("9:pids:/\n3:cpu,cpuacct:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, []),
        ("3:cpu,cpuacct:/a\n", {"cpu/a/cpu.cfs_quota_us": "200000", "cpu/a/cpu.cfs_period_us": "100000"}, [2]),
        ("3:cpu:/\n", {"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "nothing"}, []),
        ("4:cpuset:/\n", {"cpu.cfs_quota_us": "200000", "cpu.cfs_period_us": "100000"}, []),
    ],
)
def test_limits_of_control_groups_are_those_of_all_groups_around(
    groups: str, files: dict[str, str], limits: list[float], tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")

    assert [*quotas(tmp_path, groups)] == limits


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group whose processes may use one and a half cores."""
    version_1 = Path("/sys/fs/cgroup/cpu")
    made = (version_1 if version_1.exists() else Path("/sys/fs/cgroup")) / f"toolgen-{os.getpid()}"
    try:
        made.mkdir()
        if version_1.exists():
            (made / "cpu.cfs_period_us").write_text("100000", encoding="ascii")
            (made / "cpu.cfs_quota_us").write_text("150000", encoding="ascii")
        else:
            (made / "cpu.max").write_text("150000 100000", encoding="ascii")
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    yield made
    made.rmdir()


def test_a_process_of_a_limited_group_is_told_so(group: Path) -> None:
    limited = python(f"open('{group}/cgroup.procs', 'w').write(str(os.getpid()))\nprint(usable_cores())")

    assert shown(limited) == "1\n"
