"""The file of a task graph: a SQLite database with a row for each task."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack
from typing import Final
from urllib.parse import quote

from pydantic import TypeAdapter

from toolgen.toolsets.tasks.task import Task

_APPLICATION: Final = 0x74617367
"""`tasg` in ASCII: tells a task graph from other SQLite files."""

_VERSION: Final = 1
_BUSY_SECONDS: Final = 30.0

_TASK: Final = TypeAdapter(Task)

_TABLES: Final = (
    "CREATE TABLE tasks (id TEXT PRIMARY KEY, state TEXT NOT NULL, updated TEXT NOT NULL, body BLOB NOT NULL)",
    "CREATE INDEX tasks_by_update ON tasks (updated)",
)


class TaskFileError(RuntimeError):
    """A file cannot be opened as a task graph."""


def open_file(path: str | os.PathLike[str] | None) -> sqlite3.Connection:
    """Open a task graph, and make it where there is none, for the owner alone; without a path in memory.

    Raises `TaskFileError`.
    """
    try:
        if path is not None:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with ExitStack() as unless_opened:
            connection = sqlite3.connect(
                ":memory:" if path is None else f"file:{quote(os.path.abspath(path))}?mode=rw",  # noqa: PTH100  # a text
                uri=True,
                timeout=_BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            unless_opened.callback(connection.close)
            _prepare(connection)
            unless_opened.pop_all()
    except OSError as error:
        raise TaskFileError(f"the task graph cannot be opened: {error.strerror}") from error
    except sqlite3.Error as error:
        raise TaskFileError(f"the task graph cannot be opened: {error}") from error
    return connection


def encode(task: Task) -> bytes:
    """Write a task as the JSON of its row."""
    return _TASK.dump_json(task)


def decode(body: bytes) -> Task:
    """Read what `encode` wrote."""
    return _TASK.validate_json(body)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # a step that was claimed stays claimed, whatever fails
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if not _is_task_graph(connection):
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")


def _is_task_graph(connection: sqlite3.Connection) -> bool:
    """Whether the file is a task graph; an empty one is none yet. Raises `TaskFileError` for one of something else."""
    application, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application, tables) == (0, 0):
        return False
    if application != _APPLICATION:
        raise TaskFileError("the file is no task graph of toolgen")
    if version != _VERSION:
        raise TaskFileError(f"the task graph has version {version}, and this toolgen reads version {_VERSION}")
    return True
