"""A task: steps with dependencies, and their operations. Nothing is stored here; every change returns a copy.

A step is ready when all steps that it needs are done. This is recomputed after each change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime  # noqa: TC003  # read at run time, where tasks are decoded
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Final

from toolgen.runtime.base.errors import CallFailed, rejected


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
    return repr(step_id if len(step_id) <= 64 else f"{step_id[:63]}…")


def _listed(words: Iterable[str], between: str = ", ") -> str:
    """Join words, the first few of them."""
    listed = list(words)
    return between.join(listed if len(listed) <= 5 else [*listed[:5], f"{len(listed) - 5} more"])
