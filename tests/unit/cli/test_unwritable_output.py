"""Output that cannot be written, as on a full disk: an error of one line, and no defect of toolgen."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.record.sample import started, write
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import NewEvent

FULL = Path("/dev/full")
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


def test_where_stderr_is_full_too_the_exit_code_is_left(project: Path) -> None:
    assert to_full(project, "list", has_stderr=False) == (2, "")
    assert to_full(project, "show", "nonesuch", has_stderr=False) == (2, "")
    assert to_full(project, "-C", "missing", "list", has_stderr=False) == (2, "")
