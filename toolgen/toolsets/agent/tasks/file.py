"""The file of a task graph: an SQLite database with a row for each task."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from toolgen.runtime.base.sqlite_files import SqliteKind
from toolgen.toolsets.agent.tasks.task import Task

_TASK: Final = TypeAdapter(Task)


class TaskFileError(RuntimeError):
    """A file cannot be opened as a task graph."""


TASK_FILE: Final = SqliteKind(
    name="task graph",
    application=0x74617367,  # `tasg` in ASCII
    version=1,
    tables=(
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, state TEXT NOT NULL, updated TEXT NOT NULL, body BLOB NOT NULL)",
        "CREATE INDEX tasks_by_update ON tasks (updated)",
    ),
    error=TaskFileError,
)


def encode(task: Task) -> bytes:
    """Encode a task as the JSON of its row."""
    return _TASK.dump_json(task)


def decode(body: bytes) -> Task:
    """Decode the JSON of `encode`."""
    return _TASK.validate_json(body)
