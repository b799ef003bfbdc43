"""Databases of runs in which somebody has written what toolgen does not: commands say so, and end."""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from tests.later import later
from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines
from toolgen.cli.exit_codes import USAGE
from toolgen.cli.front import run
from toolgen.engine.dbos import DbosEngine, database_url
from toolgen.engine.dbos.connections import Limits
from toolgen.engine.protocol import RunFailed
from toolgen.runtime.events.records import StoreError
from toolgen.serve.durable import form_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.unit.engine.engines import Running

TABLES = ["workflow_status", "workflow_events", "operation_outputs", "workflow_output", "toolgen_workers"]
COMMANDS = [
    ["list"],
    ["show", "r1", "--format", "json"],
    ["show", "r2", "--timeline"],
    ["fork", "r1", "1"],
    ["workers"],
]
OF_DBOS = {
    *("application_id", "assumed_role", "authenticated_roles", "class_name", "config_name"),
    *("debounce_deadline_epoch_ms", "is_debounced", "parent_workflow_id", "queue_partition_key"),
    *("rate_limited", "schedule_name", "was_forked_from"),
}
"""Columns that toolgen does not name: DBOS reads each by itself, so they are changed together."""


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a run that has ended, and one that asks something."""
    folder = tmp_path_factory.mktemp("runs")
    engines = Engines("sqlite", str(folder / "runs.sqlite"), folder)

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a")], run_id="r1", user="ann"))
        await running.engine.result("r1", 300)
        await running.engine.start(request([read("a")], [write("b")], run_id="r2", user="bob"))
        await running.questions("r2")
        with (
            closing(sqlite3.connect(folder / "runs.sqlite")) as opened,
            closing(sqlite3.connect(folder / "kept.sqlite")) as kept,
        ):
            opened.backup(kept)

    engines.run(body)
    return folder / "kept.sqlite"


@pytest.fixture(scope="session")
def reads(database: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], set[tuple[str, str]]]:
    """The columns that each command reads, by table. Rows that it writes may collide with others in any column."""
    found: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    copied = tmp_path_factory.mktemp("reads") / "runs.sqlite"
    for command in COMMANDS:
        seen = found[*command] = set()

        def note(action: int, table: str | None, column: str | None, *_: object, seen: Any = seen) -> int:
            if action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE):
                seen.add((table, column or "any"))
            return sqlite3.SQLITE_OK

        def watch(connection: sqlite3.Connection, _record: object, note: Any = note) -> None:
            connection.set_authorizer(note)

        shutil.copy(database, copied)
        event.listen(Pool, "connect", watch)
        try:
            assert run(["runs", *command, "--database", str(copied)]) == 0
        finally:
            event.remove(Pool, "connect", watch)
    return found


@pytest.mark.parametrize(
    "value",
    ["\x1b[31m\u202e", "[" * 100_000, *later([b"\xff\xfe\0", "5", 2**62])],
    ids=["escapes", "deep", "bytes", "number", "large"],
)
@pytest.mark.variants(1)
@pytest.mark.long
def test_commands_end_whatever_a_database_of_runs_has(
    value: object,
    database: Path,
    reads: dict[tuple[str, ...], set[tuple[str, str]]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Each column is changed by itself. A command that does not read it without that does not read it then either."""
    with closing(sqlite3.connect(database)) as opened, opened:
        columns = {
            table: [name for _, name, *_ in opened.execute(f"PRAGMA table_info({table})").fetchall()]
            for table in TABLES
        }
    changed = tmp_path / "changed.sqlite"

    def ends(table: str, names: Sequence[str]) -> None:
        shutil.copy(database, changed)
        with closing(sqlite3.connect(changed)) as opened, opened:
            for name in names:
                with suppress(sqlite3.IntegrityError):  # such a value cannot be there
                    opened.execute(f"UPDATE {table} SET {name} = ?", (value,))  # noqa: S608  # names of the schema
        codes: set[int] = set()
        for command, read_ in reads.items():
            if read_.isdisjoint((table, name) for name in [*names, "any"]):
                continue
            codes.add(run(["runs", *command, "--database", str(changed)]))
            said = "".join(capfd.readouterr())
            assert codes <= {0, USAGE}, (table, names, command, said)
            assert "Traceback" not in said
            assert "\x1b" not in said
            assert "\u202e" not in said
        if USAGE in codes and len(names) > 1:  # the first one that cannot be read hides the others
            ends(table, names[: len(names) // 2])
            ends(table, names[len(names) // 2 :])

    for table, names in columns.items():
        of_dbos = [name for name in names if name in OF_DBOS]
        for each in ([of_dbos] if of_dbos else []) + [[name] for name in names if name not in OF_DBOS]:
            ends(table, each)


def test_a_row_of_other_types_is_left_out_with_a_warning_that_names_the_run(
    database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    changed = tmp_path / "changed.sqlite"
    shutil.copy(database, changed)
    with closing(sqlite3.connect(changed)) as opened, opened:
        opened.execute("UPDATE workflow_status SET authenticated_user = x'ff' WHERE workflow_uuid = 'r1'")
    assert run(["runs", "list", "--database", str(changed)]) == 0
    assert "the run 'r1' cannot be read: TypeError: bytes instead of str" in caplog.text
    assert "r1" not in capfd.readouterr().out.split()


def test_a_file_that_stays_locked_is_not_waited_for_without_end(database: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.sqlite"
    shutil.copy(database, locked)

    async def look(other: sqlite3.Connection) -> None:
        engine = DbosEngine(database_url(locked), waits=False, limits=Limits(size=1, statement=0.1, lock=0.1))
        try:
            async with asyncio.timeout(10):
                await engine.runs()
        except TimeoutError:
            other.execute("ROLLBACK")  # else the thread that waits would hold up the end of the test
            raise
        finally:
            await engine.close()

    with closing(sqlite3.connect(locked, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="stays locked by another program"):
            asyncio.run(look(other))


def with_deep(value: Any) -> Any:
    for _ in range(900):
        value = [value]
    return value


CHANGES: dict[str, Callable[[dict[str, Any], str], object]] = {
    "missing": lambda question, key: question.pop(key),
    "a number": lambda question, key: question.update({key: 5}),
    "a text": lambda question, key: question.update({key: "x"}),
    "a list of numbers": lambda question, key: question.update({key: [5]}),
    "an object": lambda question, key: question.update({key: {"roles": 5}}),
    "deep": lambda question, key: question.update({key: with_deep(1), f"more-{key}": with_deep(1)}),
}


async def question_of(database: Path) -> Any:
    engine = DbosEngine(database_url(database), waits=False)
    try:
        (approval,) = await engine.approvals("r2")
        return approval.question
    finally:
        await engine.close()


@pytest.mark.parametrize("change", [*later(["a number"]), *(each for each in CHANGES if each != "a number")])
@pytest.mark.variants(1)
def test_whatever_a_question_has_that_somebody_else_wrote(
    change: str, database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Commands, the inbox of an explorer and the form for a client show it, or end with an error that names the run."""
    changed = tmp_path / "changed.sqlite"
    where = "WHERE workflow_uuid = 'r2' AND key = 'questions'"
    with closing(sqlite3.connect(database)) as opened:
        (kept,) = opened.execute(f"SELECT value FROM workflow_events {where}").fetchone()  # noqa: S608  # a constant
    (call,) = json.loads(kept)
    assert asyncio.run(question_of(database)) == json.loads(kept)[call]  # all that is asked is read
    for key in [*json.loads(kept)[call], "approvers"]:
        if (change, key) == ("missing", "approvers"):
            continue
        shutil.copy(database, changed)
        questions = json.loads(kept)
        CHANGES[change](questions[call], key)
        with closing(sqlite3.connect(changed)) as opened, opened:
            statement = f"UPDATE workflow_events SET value = ? {where}"  # noqa: S608  # a constant
            opened.execute(statement, (json.dumps(questions),))
        assert run(["runs", "list", "--database", str(changed)]) == 0
        assert "r2  waiting" in capfd.readouterr().out
        codes: set[int] = set()
        for command in (["show", "r2"], ["show", "r2", "--format", "json"]):
            codes.add(run(["runs", *command, "--database", str(changed)]))
            said = capfd.readouterr().err
            assert codes in ({0}, {USAGE}), (key, command, said)
            assert codes == {0} or "'r2'" in said, (key, command, said)

        async def look() -> None:
            engine = DbosEngine(database_url(changed), waits=False)
            try:
                for approval in await engine.approvals("r2"):
                    form_of(approval)
                    assert str(approval.approvers)
            finally:
                await engine.close()

        if codes == {0}:
            asyncio.run(look())
        else:
            with pytest.raises(StoreError, match="'r2'"):
                asyncio.run(look())


@pytest.mark.parametrize("made", ["CREATE VIEW {0} AS SELECT * FROM old", "CREATE TABLE {0} (a, b AS (zeroblob(9)))"])
@pytest.mark.parametrize("table", TABLES)
def test_what_is_computed_is_not_read(
    made: str, table: str, database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A view, or a computed column, may have more than any disk holds."""
    changed = tmp_path / "changed.sqlite"
    shutil.copy(database, changed)
    with closing(sqlite3.connect(changed)) as opened, opened:
        opened.execute(f"ALTER TABLE {table} RENAME TO old")
        opened.execute(made.format(table))
    for command in COMMANDS:
        assert run(["runs", *command, "--database", str(changed)]) == USAGE
        assert f"`{table}` of the database of runs is computed" in capfd.readouterr().err


class Touched:
    """Writes a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (str(self._file), "w"))


PICKLED = [
    ("workflow_status", "inputs"),
    ("workflow_status", "output"),
    ("workflow_status", "error"),
    ("operation_outputs", "output"),
    ("operation_outputs", "error"),
    ("workflow_events", "value"),
    ("workflow_events_history", "value"),
    ("workflow_input", "inputs"),
    ("workflow_output", "output"),
    ("workflow_output", "error"),
]


@pytest.mark.parametrize(
    ("state", "table", "column"),
    [
        pytest.param(state, table, column, marks=() if of_state in column else pytest.mark.long)
        for state, of_state in (("PENDING", ""), ("SUCCESS", "output"), ("ERROR", "error"))
        for table, column in PICKLED
    ],
)
@pytest.mark.variants(5)
def test_nothing_in_a_database_is_unpickled(
    state: str, table: str, column: str, database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """DBOS unpickles what says of itself that it is pickled: commands, engines and workers do not."""
    changed, touched = tmp_path / "changed.sqlite", tmp_path / "touched"
    shutil.copy(database, changed)
    value = base64.b64encode(pickle.dumps(Touched(touched))).decode()
    with closing(sqlite3.connect(changed)) as opened, opened:
        names = {name for _, name, *_ in opened.execute(f"PRAGMA table_info({table})").fetchall()}
        assert column in names
        done = opened.execute(f"UPDATE {table} SET {column} = ?", (value,))  # noqa: S608  # names of the schema
        assert done.rowcount > 0
        for each in (table, "workflow_status"):
            if each == "workflow_status" or "serialization" in names:
                opened.execute(f"UPDATE {each} SET serialization = 'py_pickle'")  # noqa: S608  # the same
        opened.execute("UPDATE workflow_status SET status = ?, owner_xid = NULL", (state,))
        if state == "PENDING":
            opened.execute("UPDATE workflow_status SET status = 'ENQUEUED', queue_name = 'toolgen'")
    for command in [*COMMANDS, ["show", "r2"], ["show", "r1"]]:
        assert run(["runs", *command, "--database", str(changed)]) in (0, USAGE)
    assert "Traceback" not in "".join(capfd.readouterr())

    async def body(running: Running) -> None:
        for run_id in ("r1", "r2"):
            with suppress(RunFailed, StoreError, TypeError, TimeoutError):  # whatever it has
                await running.engine.result(run_id, 1)

    Engines("sqlite", str(changed), tmp_path).run(body)
    assert not touched.exists()
