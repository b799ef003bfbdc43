"""Tasks: steps with dependencies, their operations, and the file in which a graph of tasks is stored.

An operation stores nothing, and returns a copy. A step is ready when all steps that it needs are done. This is
recomputed after each change.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.effects import begin_effect
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteFile, SqliteKind
from toolgen.runtime.redact.warning import warn
from toolgen.spec.text import cut

if TYPE_CHECKING:
    import os
    import sqlite3


class TaskState(StrEnum):
    """The state of a task. All but `OPEN` are final."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StepState(StrEnum):
    """The state of a step. In a closed task, none is `READY`."""

    PENDING = "pending"
    READY = "ready"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"


_WAITING: Final = frozenset({StepState.PENDING, StepState.READY})
_KEPT: Final = frozenset({StepState.CLAIMED, StepState.DONE})
"""States of steps that are in progress or done: plans cannot change them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. `needs` are ids of steps of the same task.

    `claimed_by` is the agent that works on it or finished it; `note` is the last report.
    """

    id: str
    title: str
    instructions: str = ""
    needs: tuple[str, ...] = ()
    state: StepState = StepState.PENDING
    claimed_by: str | None = None
    note: str = ""

    def unstarted(self) -> Step:
        """Return a copy that is not started."""
        needs = tuple(dict.fromkeys(self.needs))
        return Step(id=self.id, title=self.title, instructions=self.instructions, needs=needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task. `outcome` is the report of its closing, `updated` the time of the last change, in UTC.

    Every change of a closed task raises `CallFailed` with `task_closed`.
    """

    id: str
    title: str
    steps: tuple[Step, ...]
    updated: datetime
    state: TaskState = TaskState.OPEN
    outcome: str = ""

    @staticmethod
    def planned(task_id: str, title: str, steps: Iterable[Step], now: datetime) -> Task:
        """Return a new task. Raises `CallFailed` with `duplicate_step`, `unknown_step`, `cyclic_steps`."""
        planned = Task(id=task_id, title=title, steps=tuple(step.unstarted() for step in steps), updated=now)
        _check_plan(planned.steps)
        return _settled(planned)

    def at(self, now: datetime) -> Task:
        """Return a copy with the time of its change."""
        return replace(self, updated=now)

    def step(self, step_id: str) -> Step:
        """Return a step. Raises `CallFailed` with `unknown_step`."""
        found = self._by_id.get(step_id)
        if found is None:
            raise rejected(
                "unknown_step", f"the task has no step {_shown(step_id)}", "find its steps with task_query_steps"
            )
        return found

    def inputs(self, step: Step) -> list[tuple[str, str]]:
        """Return the reports of the steps that a step needs: pairs of id and note, without empty ones."""
        return [(needed, note) for needed in step.needs if (note := self.step(needed).note)]

    def replanned(self, *, title: str | None, steps: Iterable[Step] | None) -> Task:
        """Return a copy with another title, another plan of remaining steps, or both.

        Steps that are claimed or done are kept, also if they are not in `steps`; all others are replaced. Raises
        `CallFailed` with `step_fixed` for a claimed or done step that differs, and as `planned` does.
        """
        self._check_open()
        changed = self if title is None else replace(self, title=title)
        if steps is None:
            return changed
        given = [step.unstarted() for step in steps]
        merged = tuple(self._merge_step(step) for step in given)
        named = {step.id for step in given}
        unnamed = tuple(step for step in self.steps if step.state in _KEPT and step.id not in named)
        _check_plan(unnamed + merged)
        return _settled(replace(changed, steps=unnamed + merged))

    def claimed(self, step_id: str, agent: str) -> Task:
        """Return a copy with a step assigned to an agent.

        Raises `CallFailed` with `unknown_step`, `step_claimed`, `step_not_ready`.
        """
        self._check_open()
        step = self.step(step_id)
        if step.state is StepState.CLAIMED:
            raise _taken(step, agent)
        if step.state is not StepState.READY:
            raise rejected("step_not_ready", self._why_not_ready(step), "find ready steps with task_query_steps")
        return self._with(replace(step, state=StepState.CLAIMED, claimed_by=agent))

    def reported(self, step_id: str, agent: str, state: StepState, note: str | None) -> Task:
        """Return a copy with an agent's report on its claimed step; without a note the last one stays.

        `DONE` and `FAILED` finish it, `READY` releases it, `CLAIMED` leaves it unchanged. Raises `CallFailed` with
        `unknown_step`, `step_not_yours`, `step_not_claimed`; ValueError for `PENDING`.
        """
        if state is StepState.PENDING:
            raise ValueError("a step cannot be reported as pending")
        self._check_open()
        step = self.step(step_id)
        if step.claimed_by != agent:
            message = f"step {_shown(step_id)} is not yours to report on"
            raise rejected("step_not_yours", message, "claim a step first, with task_claim_step")
        if step.state is not StepState.CLAIMED:
            message = f"step {_shown(step_id)} is {step.state} already"
            raise rejected("step_not_claimed", message, "go on with another step")
        reported = replace(step, state=state, note=step.note if note is None else note)
        return self._with(_released(reported) if state is StepState.READY else reported)

    def released(self, agent: str) -> Task:
        """Return a copy with all claimed, unfinished steps of an agent released."""
        self._check_open()
        held = self.held_by(agent)
        steps = tuple(_released(step) if step in held else step for step in self.steps)
        return _settled(replace(self, steps=steps))

    def held_by(self, agent: str) -> tuple[Step, ...]:
        """The steps that an agent works on."""
        return tuple(step for step in self.steps if step.state is StepState.CLAIMED and step.claimed_by == agent)

    def closed(self, state: TaskState, outcome: str) -> Task:
        """Return a closed copy. Raises `CallFailed` with `open_steps` if it is completed but a step is not done."""
        self._check_open()
        left = [step for step in self.steps if step.state is not StepState.DONE]
        if state is TaskState.DONE and left:
            listed = _listed(f"{_shown(step.id)} ({step.state})" for step in left)
            hint = "complete them, or remove them with task_update; or close the task with task_fail"
            raise rejected("open_steps", f"not all steps are done: {listed}", hint)
        return _settled(replace(self, state=state, outcome=outcome))

    @property
    def _by_id(self) -> dict[str, Step]:
        return {step.id: step for step in self.steps}

    def _check_open(self) -> None:
        if self.state is not TaskState.OPEN:
            message = f"the task is closed: it is {self.state}"
            raise rejected("task_closed", message, "create another task, if there is more to do")

    def _merge_step(self, given: Step) -> Step:
        """Return a step of a new plan; the existing one if it is claimed or done."""
        known = self._by_id.get(given.id)
        if known is None or known.state not in _KEPT:
            return given
        if known.unstarted() != given:
            message = f"step {_shown(given.id)} is {known.state}, and can no longer be changed"
            raise rejected("step_fixed", message, "omit it, and use other ids for new steps")
        return known

    def _why_not_ready(self, step: Step) -> str:
        if step.state is not StepState.PENDING:
            return f"step {_shown(step.id)} is {step.state} already"
        waits = (needed for needed in step.needs if self.step(needed).state is not StepState.DONE)
        return f"step {_shown(step.id)} is not ready: it waits for {_listed(map(_shown, waits))}"

    def _with(self, changed: Step) -> Task:
        steps = tuple(changed if step.id == changed.id else step for step in self.steps)
        return _settled(replace(self, steps=steps))


def _settled(task: Task) -> Task:
    """Return the task with the state of every step that is not started set to pending or ready."""
    done = {step.id for step in task.steps if step.state is StepState.DONE}
    is_open = task.state is TaskState.OPEN

    def settled(step: Step) -> Step:
        if step.state not in _WAITING:
            return step
        return replace(step, state=StepState.READY if is_open and done.issuperset(step.needs) else StepState.PENDING)

    return replace(task, steps=tuple(map(settled, task.steps)))


def _released(step: Step) -> Step:
    return replace(step, state=StepState.PENDING, claimed_by=None)


def _taken(step: Step, agent: str) -> CallFailed:
    if step.claimed_by == agent:
        message, hint = (
            f"you have claimed step {_shown(step.id)} already",
            "work on it, and report with task_update_step",
        )
    else:
        message, hint = f"step {_shown(step.id)} is claimed by another agent", "find ready steps with task_query_steps"
    return rejected("step_claimed", message, hint)


def _check_plan(steps: Sequence[Step]) -> None:
    _check_unique(steps)
    known = {step.id for step in steps}
    for step in steps:
        missing = [needed for needed in step.needs if needed not in known]
        if missing:
            message = f"step {_shown(step.id)} needs {_listed(map(_shown, missing))}, which the task does not have"
            raise rejected("unknown_step", message, "use ids of steps of this task")
    try:
        TopologicalSorter({step.id: step.needs for step in steps}).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        message = f"steps need each other in a cycle: {_listed(map(_shown, reversed(circle)), ' needs ')}"
        raise rejected("cyclic_steps", message, "remove one of these needs") from error


def _check_unique(steps: Iterable[Step]) -> None:
    seen = set[str]()
    for step in steps:
        if step.id in seen:
            raise rejected("duplicate_step", f"two steps have the id {_shown(step.id)}", "give each step a unique id")
        seen.add(step.id)


def _shown(step_id: str) -> str:
    return repr(cut(step_id, 64))


def _listed(words: Iterable[str], between: str = ", ") -> str:
    """Join words, the first few of them."""
    listed = list(words)
    return between.join(listed if len(listed) <= 5 else [*listed[:5], f"{len(listed) - 5} more"])


# The file of a task graph: an SQLite database with a row for each task.

_TASK: Final = TypeAdapter(Task)


class TaskFileError(RuntimeError):
    """A file cannot be opened as a task graph."""


_TASK_FILE: Final = SqliteKind(
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


def _decode(body: bytes) -> Task:
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
        self._file = SqliteFile(_TASK_FILE, None if path is None else Path(path))
        weakref.finalize(self, self._file.close)  # nobody has to close a graph in memory
        self._clock = clock
        self._new_id = new_id

    def create(self, title: str, steps: Sequence[Step]) -> Task:
        """Create a task. Raises as `Task.planned` does."""
        task = Task.planned(self._new_id(), title, steps, self._clock())
        with self._transaction() as connection:
            connection.execute(_INSERT, _row(task))
        return task

    def get(self, task_id: str) -> Task:
        """Return the current state of a task."""
        with _in_the_file(), self._file.using() as connection:
            return _read(connection, task_id)

    def tasks(self, state: TaskState | None = None, *, limit: int = _ALL) -> list[Task]:
        """Return the tasks in one state, or all, the most recently changed first."""
        with _in_the_file(), self._file.using() as connection:
            return _read_all(connection, state, limit)

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
        with self._transaction() as connection:
            for task in _read_all(connection, TaskState.OPEN, _ALL):
                if task.held_by(agent):
                    self._write(connection, task.released(agent))

    def close(self) -> None:
        """Close the file. There are no pending writes."""
        self._file.close()

    def _change(self, task_id: str, change: Callable[[Task], Task]) -> Task:
        with self._transaction() as connection:
            return self._write(connection, change(_read(connection, task_id)))

    def _write(self, connection: sqlite3.Connection, task: Task) -> Task:
        changed = task.at(self._clock())
        connection.execute(_REPLACE, _row(changed))
        return changed

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        """Run a transaction, exclusive of other writers; an exception, or the end of the call, rolls it back."""
        with _in_the_file(), self._file.using() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            begin_effect()


def _read(connection: sqlite3.Connection, task_id: str) -> Task:
    row: tuple[bytes] | None = connection.execute(_SELECT, (task_id,)).fetchone()
    if row is None:
        raise rejected("unknown_task", "there is no task with that id", "use an id that you were given")
    return _decode(row[0])


def _read_all(connection: sqlite3.Connection, state: TaskState | None, limit: int) -> list[Task]:
    return [_decode(body) for (body,) in connection.execute(_LIST, (state, limit))]


@contextmanager
def _in_the_file() -> Generator[None]:
    """Convert errors of the file to an error for the model without details."""
    try:
        yield
    except (*UNREADABLE, TaskFileError, ValidationError) as error:
        warn("the task graph cannot be read or written", error=error)
        message = "the tasks cannot be read or written"
        hint = "go on without them; the host is at fault, not the call"
        raise CallFailed(FailureKind.UNAVAILABLE, "task_graph_unavailable", message, hint) from error


def _row(task: Task) -> tuple[str, TaskState, str, bytes]:
    return task.id, task.state, task.updated.isoformat(timespec="microseconds"), encode(task)
