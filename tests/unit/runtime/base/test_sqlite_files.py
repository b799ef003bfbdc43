"""SQLite files that several threads or processes open at the same moment."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, sources
from toolgen.runtime.base.sqlite_files import computed, text_or_bytes
from toolgen.runtime.policy.grants import GrantsError

if TYPE_CHECKING:
    from toolgen.runtime.base.sqlite_files import SqliteKind

KINDS: Final = {
    "toolgen.record.sqlite": "STORE_FILE",
    "toolgen.runtime.policy.grants.sqlite": "_KIND",
    "toolgen.runtime.policy.rate_limits.sqlite": "_KIND",
    "toolgen.toolsets.agent.tasks.task": "_TASK_FILE",
    "toolgen.llm.search.vectors": "_VECTORS_FILE",
}
"""Every kind of file, by the module that has it."""

OPENING: Final = Path(__file__).with_name("opening_files.py")
AT_ONCE: Final = 6
FILES: Final = 40

every_kind = pytest.mark.parametrize("module", KINDS)


def kind_of(module: str) -> SqliteKind:
    kind: SqliteKind = getattr(import_module(module), KINDS[module])
    return kind


def test_every_kind_of_file_is_tested() -> None:
    modules = {path.relative_to(ROOT).with_suffix("").as_posix() for path in sources("toolgen") if defines_kind(path)}
    assert {module.replace(".", "/") for module in KINDS} == modules


@pytest.mark.parametrize("wanted", [["runs"], []])
@pytest.mark.parametrize(
    ("kind", "name", "sql"),
    [
        ("table", b"runs", b"CREATE VIRTUAL TABLE runs USING fts5(a /*\xff*/)"),
        ("view", b"runs", b"CREATE VIEW runs AS SELECT '\xff' AS a"),
        ("view", b"r\xff", b"CREATE VIEW r\xff AS SELECT 1 AS a"),
    ],
)
def test_what_is_computed_is_told_whatever_its_text_is(wanted: list[str], kind: str, name: bytes, sql: bytes) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = text_or_bytes
        connection.execute("PRAGMA writable_schema=ON")
        insert = "INSERT INTO sqlite_master VALUES (?, CAST(?2 AS TEXT), CAST(?2 AS TEXT), 0, CAST(?3 AS TEXT))"
        connection.execute(insert, (kind, name, sql))
        found = computed(connection, wanted)
    assert bool(found) is (not wanted or name == b"runs")


def defines_kind(path: Path) -> bool:
    return "= SqliteKind(" in path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="its processes do not fork")
@every_kind
@pytest.mark.variants(2)
def test_a_new_file_can_be_opened_by_many_processes_at_the_same_moment(tmp_path: Path, module: str) -> None:
    given = [OPENING, tmp_path, module, KINDS[module], AT_ONCE, FILES]
    done = subprocess.run([sys.executable, *map(str, given)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


@every_kind
def test_a_new_file_waits_for_one_who_holds_it(tmp_path: Path, module: str) -> None:
    path = tmp_path / "f.db"
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("PRAGMA user_version = 0")
    release = threading.Timer(0.2, holder.close)
    release.start()
    kind_of(module).open_for_writing(path).close()
    release.join()


def test_a_file_that_stays_busy_is_reported(tmp_path: Path) -> None:
    kind = replace(kind_of("toolgen.runtime.policy.grants.sqlite"), busy_seconds=0.05)
    with closing(sqlite3.connect(tmp_path / "f.db", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(GrantsError, match="cannot be opened: database is locked"):
            kind.open_for_writing(tmp_path / "f.db")
