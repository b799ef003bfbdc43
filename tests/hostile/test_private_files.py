"""Private files: whatever has data of runs, or secrets, can be read by its user only, from its creation on."""

from __future__ import annotations

import ast
import asyncio
import os
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.project.checkout import ROOT, parsed
from tests.unit.record.sample import one_call
from toolgen.compiler.project.cache import open_cache
from toolgen.contract.records import ToolsetRegistration
from toolgen.engine.dbos import database_url, prepare_database
from toolgen.engine.dbos.connections import CLIENT, close_connections, open_connections
from toolgen.evaluate.exchanges import Exchanges
from toolgen.execute.user_file import UserFile
from toolgen.record.artifacts import Artifacts
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime import PathPolicy, SqliteCounters, SqliteGrants
from toolgen.runtime.policy.paths import PathConcern
from toolgen.serve.tokens import Tokens
from toolgen.testing.recordings import Recording
from toolgen.toolsets import TaskGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
WRITERS: Final = {"write_inside", "replace_inside", "write_new", "make_folder_inside"}
PUBLIC: Final = {
    "toolgen/spec/derived.py": "data derived of a catalog",
    "toolgen/authoring/lint/surface.py": "a copy of a package, in a temporary folder",
    "toolgen/authoring/site/write.py": "a site for readers",
    "toolgen/authoring/diff/git.py": "a commit of a repository, in a temporary folder",
    "toolgen/cli/importers/spec_place.py": "a spec, from the description of an API or a server",
    "toolgen/cli/vectors.py": "the folder of caches of a project",
    "toolgen/cli/commands/specs/init.py": "a new project",
    "toolgen/cli/commands/authoring/schema.py": "a schema for editors",
    "toolgen/cli/commands/authoring/spec_files.py": "specs that people have written",
    "toolgen/testing/plugin.py": "snapshots of tools, without calls",
    "toolgen/compiler/publish/apply.py": "a package",
    "toolgen/compiler/publish/format.py": "code that is formatted, in a temporary folder",
    "toolgen/compiler/project/cache.py": "what specs compile to",
}
"""The modules that write files which others may read, and what these are: nothing of a run."""


@pytest.mark.xdist_group("source")
def test_each_writer_of_files_is_private_or_writes_nothing_of_a_run() -> None:
    found: dict[str, bool] = {}
    for path in sorted((ROOT / "toolgen").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name == "toolgen/spec/writing.py":
            continue
        for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WRITERS):
                continue
            is_private = any(each.arg == "mode" and ast.unparse(each.value) == "PRIVATE" for each in node.keywords)
            replaces = node.func.id == "replace_inside" and "before + newline" in ast.unparse(node)  # of what is there
            if not (is_private or replaces):
                found[name] = True
                assert name in PUBLIC, f"{name}:{node.lineno}: pass mode=PRIVATE, or say in PUBLIC what it writes"
    assert found.keys() == PUBLIC.keys()


def store(folder: Path) -> None:
    async def use() -> None:
        opened = SqliteStore(folder / "store.db")
        await one_call(opened)
        await opened.close()

    asyncio.run(use())


def counters(folder: Path) -> None:
    async def use() -> None:
        async with SqliteCounters(folder / "counters.db"):
            pass

    asyncio.run(use())


def runs(folder: Path) -> None:
    """Prepare a database of runs, and look at the files beside it while it is written."""
    prepare_database(database_url(folder / "runs.sqlite"))
    with closing(sqlite3.connect(folder / "runs.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE one (a)")
        assert {each.name for each in folder.iterdir()} >= {"runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm"}
        check(folder)


def runs_of_an_engine(folder: Path) -> None:
    """Open the database as an engine and a worker do, before anybody has prepared it."""
    connections = open_connections(database_url(folder / "runs.sqlite"), CLIENT)
    with connections.connect():
        pass
    close_connections(connections)


def link_to_runs(folder: Path) -> None:
    """Open a database by a link to a file that is not there."""
    (folder / "link").symlink_to("target")
    prepare_database(database_url(folder / "link"))
    assert (folder / "target").exists()


def exchanges(folder: Path) -> None:
    kept = Exchanges(folder / "deep/model.jsonl", asks=True)
    kept._append(b"{}\n")  # what each exchange is written by


def recording(folder: Path) -> None:
    kept = Recording(folder / "deep/calls.jsonl", "once", executors=[ToolsetRegistration(toolset="own", handlers={})])
    kept._write(b"{}\n", is_appended=False)  # as above


def user_file(folder: Path) -> None:
    with UserFile(folder / "own/logins.json").changed() as kept:
        kept["a"] = "b"


def artifacts(folder: Path) -> None:
    Artifacts(folder / "kept").put(b"x" * 100)


CREATORS: Final[tuple[Callable[[Path], Any], ...]] = (
    store,
    counters,
    lambda folder: SqliteGrants(folder / "grants.db").close(),
    lambda folder: TaskGraph(folder / "tasks.db").tasks(),
    runs,
    runs_of_an_engine,
    link_to_runs,
    artifacts,
    user_file,
)
"""What makes files of toolgen itself, which no tool may read without a grant."""

RECORDINGS: Final[tuple[Callable[[Path], Any], ...]] = (exchanges, recording)
"""What makes files that people keep beside their tests."""


def check(folder: Path) -> None:
    """Check that no other user can read, write or enter anything in a folder."""
    found = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert found
    open_ = {str(path.relative_to(folder)): oct(path.stat().st_mode) for path in found if path.stat().st_mode & OTHERS}
    assert not open_


@pytest.fixture
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
@pytest.mark.parametrize("create", [*CREATORS, *RECORDINGS])
def test_what_has_data_of_runs_is_private_from_its_creation_on(tmp_path: Path, create: Callable[[Path], Any]) -> None:
    create(tmp_path)
    check(tmp_path)


@pytest.mark.usefixtures("_umask")
def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.touch(mode=0o640)
    prepare_database(database_url(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "kept").mkdir(mode=0o750)
    Artifacts(tmp_path / "kept").put(b"x")
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o750


@pytest.mark.usefixtures("_umask")
def test_the_secret_of_a_user_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    open_cache(tmp_path / "project")
    check(tmp_path / "cache")


@pytest.mark.parametrize("create", CREATORS)
def test_files_of_toolgen_itself_are_sensitive_whatever_a_policy_says(
    tmp_path: Path, create: Callable[[Path], Any]
) -> None:
    create(tmp_path)
    policy = PathPolicy(tmp_path, home=tmp_path / "home")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in [*files, *(path.with_name(f"{path.name}-wal") for path in files if not path.is_symlink())]:
        answer = policy.judge(str(path))
        assert answer.read_concern is PathConcern.SENSITIVE, path
        assert answer.write_concern is PathConcern.SENSITIVE, path
    assert policy.judge("note.txt").read_concern is None


def test_the_tokens_of_serve_are_sensitive_once_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text('{"ann": "a-token-of-ann-that-is-long-enough"}')
    path.chmod(0o600)
    policy = PathPolicy(tmp_path, home=tmp_path / "home")
    assert policy.judge("tokens.json").read_concern is None
    Tokens.from_file(path)
    assert policy.judge("tokens.json").read_concern is PathConcern.SENSITIVE
