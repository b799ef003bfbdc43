"""Output that cannot be written, as on a full disk: an error of one line, and no defect of toolgen."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.record.sample import started, write
from toolgen.cli.commands import COMMANDS
from toolgen.cli.front import run
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import NewEvent

FULL = Path("/dev/full")
CLOSED = "Error: The output cannot be written: Bad file descriptor.\n"
ERROR = "Error: The output cannot be written: No space left on device.\n"

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is full")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for word in ("init", "build"):
        done = toolgen(folder, word)
        assert done.code == 0, done.err

    async def record() -> None:
        store = SqliteStore(folder / "runs.db")
        await write(store, started("c1"), NewEvent("run_ended", "r1"))
        await store.close()

    asyncio.run(record())
    return folder


@pytest.fixture(scope="module")
def committed(project: Path) -> Path:
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    return project


def to_full(folder: Path, *words: str, has_stderr: bool = True) -> tuple[int, str]:
    """Run a command whose stdout is full; return its exit code and what it wrote to stderr."""
    with FULL.open("wb") as full:
        error = subprocess.PIPE if has_stderr else full
        command = [forked_python(), "-m", "toolgen", *words]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=error, text=True, check=False)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize(
    "words",
    [
        *("", "--help", "--version", "import", "list --help", "list", "list --format json", "show shop.orders.find"),
        *("build", "build --format json", "ir", "schema", "stats", "prompt", "log --store runs.db", "explain 208"),
        *("init other", "call shop.orders.find {}", 'call shop.orders.find {"customer":"c"}'),
    ],
)
def test_a_full_disk_is_reported_in_one_line(project: Path, words: str) -> None:
    code, error = to_full(project, *words.split())
    if words.endswith("{}"):  # it prints nothing on stdout
        assert (code, "the field `customer`" in error) == (1, True)
    else:
        assert (code, error) == (2, ERROR)


WORDS = [
    *([*each.split(), "--help"] for each in ("", *COMMANDS)),
    ["--version"],
    [],
    ["runs"],
    ["explain"],
    ["ir"],
    ["schema"],
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
@pytest.mark.parametrize(("is_pipe", "code", "error"), [(True, 0, ""), (False, 2, CLOSED)], ids=["pipe", "closed"])
def test_output_that_nobody_reads_is_no_finding_and_what_is_lost_is_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    words: list[str], is_pipe: bool, code: int, error: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(project)
    if is_pipe:
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(os.devnull, os.O_RDONLY)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(words) == code
    assert capfd.readouterr().err.endswith(error)


@pytest.mark.parametrize(
    "words",
    [
        *("--help", "list", "show shop.orders.find", "schema", "ir", "build --format json", "diff --against HEAD"),
        'call shop.orders.find {"customer":"c"}',
    ],
)
@pytest.mark.parametrize(("closed", "code"), [(">&-", 2), ("| true", 0), ("2>&- | cat", 0), ("<&- | cat", 0)])
@pytest.mark.variants(8)
def test_a_process_without_a_stream_ends_as_if_it_had_another_one(
    committed: Path, words: str, closed: str, code: int
) -> None:
    quoted = " ".join(map(shlex.quote, words.split()))
    script = f"{sys.executable} -m toolgen {quoted} {closed}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], cwd=committed, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


def test_where_stderr_is_full_too_the_exit_code_is_left(project: Path) -> None:
    assert to_full(project, "list", has_stderr=False) == (2, "")
    assert to_full(project, "show", "nonesuch", has_stderr=False) == (2, "")
    assert to_full(project, "-C", "missing", "list", has_stderr=False) == (2, "")
