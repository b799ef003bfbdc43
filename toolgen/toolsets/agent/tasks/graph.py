"""The task graph: tasks in a file, changed one at a time by any number of threads and processes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteKind
from toolgen.runtime.redact.warning import warn
from toolgen.toolsets.agent.tasks.task import Step, StepState, Task, TaskState

if TYPE_CHECKING:
    import os


# The file of a task graph: an SQLite database with a row for each task.

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


_INSERT: Final = "INSERT INTO tasks (id, state, updated, body) VALUES (?, ?, ?, ?)"
_REPLACE: Final = "UPDATE tasks SET state = ?2, updated = ?3, body = ?4 WHERE id = ?1"
_SELECT: Final = "SELECT body FROM tasks WHERE id = ?"
_LIST: Final = "SELECT body FROM tasks WHERE ?1 IS NULL OR state = ?1 ORDER BY updated DESC, rowid DESC LIMIT ?2"
_ALL: Final = -1
"""SQLite's value for no limit."""


_now: Final = partial(datetime.now, UTC)


def _new_id() -> str:
    return f"task_{secrets.token_hex(6)}"


class TaskGraph:
    """Tasks, stored in an SQLite file, or in memory without a `path`.

    Every change is one transaction: if two agents claim a step, one gets it, and changes are on disk when a method
    returns. Processes share a graph by opening the same file. `clock` returns the time of changes, in UTC; `new_id`
    creates ids of tasks.

    Raises `TaskFileError` if the file cannot be opened, or is another kind of file. Methods raise `CallFailed`: with
    `unknown_task` for an unknown task, and with `task_graph_unavailable` if the file is damaged or cannot be written.
    SQLite's error is logged.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        clock: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self._connection = TASK_FILE.open_for_writing(None if path is None else Path(path))
        self._lock = Lock()  # SQLite isolates connections, but this is a single one
        self._clock = clock
        self._new_id = new_id

    def create(self, title: str, steps: Sequence[Step]) -> Task:
        """Create a task. Raises as `Task.planned` does."""
        task = Task.planned(self._new_id(), title, steps, self._clock())
        with self._transaction():
            self._connection.execute(_INSERT, _row(task))
        return task

    def get(self, task_id: str) -> Task:
        """Return the current state of a task."""
        with self._lock, _in_the_file():
            return self._read(task_id)

    def tasks(self, state: TaskState | None = None, *, limit: int = _ALL) -> list[Task]:
        """Return the tasks in one state, or all, the most recently changed first."""
        with self._lock, _in_the_file():
            return self._read_all(state, limit)

    def replan(self, task_id: str, *, title: str | None = None, steps: Sequence[Step] | None = None) -> Task:
        """Change the title of a task, or its remaining steps. Raises as `Task.replanned` does."""
        return self._change(task_id, lambda task: task.replanned(title=title, steps=steps))

    def claim(self, task_id: str, step_id: str, agent: str) -> Task:
        """Assign a step to an agent. Raises as `Task.claimed` does."""
        return self._change(task_id, lambda task: task.claimed(step_id, agent))

    def report(self, task_id: str, step_id: str, agent: str, state: StepState, note: str | None = None) -> Task:
        """Store an agent's report on its claimed step. Raises as `Task.reported` does."""
        return self._change(task_id, lambda task: task.reported(step_id, agent, state, note))

    def close_task(self, task_id: str, state: TaskState, outcome: str = "") -> Task:
        """Close a task. Raises as `Task.closed` does."""
        return self._change(task_id, lambda task: task.closed(state, outcome))

    def release(self, agent: str) -> None:
        """Release all claimed, unfinished steps of an agent that has ended, for others to claim."""
        with self._transaction():
            for task in self._read_all(TaskState.OPEN, _ALL):
                if task.held_by(agent):
                    self._write(task.released(agent))

    def close(self) -> None:
        """Close the file. There are no pending writes."""
        with self._lock:
            self._connection.close()

    def _change(self, task_id: str, change: Callable[[Task], Task]) -> Task:
        with self._transaction():
            return self._write(change(self._read(task_id)))

    def _write(self, task: Task) -> Task:
        changed = task.at(self._clock())
        self._connection.execute(_REPLACE, _row(changed))
        return changed

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """Run a transaction, exclusive of other writers; an exception rolls it back."""
        with self._lock, _in_the_file(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield

    def _read(self, task_id: str) -> Task:
        row: tuple[bytes] | None = self._connection.execute(_SELECT, (task_id,)).fetchone()
        if row is None:
            raise rejected("unknown_task", "there is no task with that id", "use an id that you were given")
        return decode(row[0])

    def _read_all(self, state: TaskState | None, limit: int) -> list[Task]:
        return [decode(body) for (body,) in self._connection.execute(_LIST, (state, limit))]


@contextmanager
def _in_the_file() -> Generator[None]:
    """Convert errors of the file to an error for the model without details."""
    try:
        yield
    except (*UNREADABLE, ValidationError) as error:
        warn("the task graph cannot be read or written", error=error)
        message = "the tasks cannot be read or written"
        hint = "go on without them; the host is at fault, not the call"
        raise CallFailed(FailureKind.UNAVAILABLE, "task_graph_unavailable", message, hint) from error


def _row(task: Task) -> tuple[str, TaskState, str, bytes]:
    return task.id, task.state, task.updated.isoformat(timespec="microseconds"), encode(task)
