"""A task: steps that need each other, and what can be done to them. Nothing is stored here, and every change is a copy.

A step is ready once all steps that it needs are done. That is worked out anew after each change, so that nobody can
forget it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime  # noqa: TC003  # read at run time, where tasks are decoded
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.errors import CallFailed, rejected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class TaskState(StrEnum):
    """How far a task is. All but `OPEN` are for good."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StepState(StrEnum):
    """How far a step is. In a task that is closed, none is `READY`."""

    PENDING = "pending"
    READY = "ready"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"


_WAITING: Final = frozenset({StepState.PENDING, StepState.READY})
_KEPT: Final = frozenset({StepState.CLAIMED, StepState.DONE})
"""Steps that somebody works on, or that others build on: no plan changes them any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. `needs` are ids of steps of the same task.

    `claimed_by` is the agent that works on it, or that ended it; `note` is what was last reported on it.
    """

    id: str
    title: str
    instructions: str = ""
    needs: tuple[str, ...] = ()
    state: StepState = StepState.PENDING
    claimed_by: str | None = None
    note: str = ""

    def anew(self) -> Step:
        """The same, as nobody has begun it."""
        needs = tuple(dict.fromkeys(self.needs))
        return Step(id=self.id, title=self.title, instructions=self.instructions, needs=needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task. `outcome` is what was said when it was closed, `updated` when it was last changed, in UTC.

    Every change raises `CallFailed` with `task_closed` once it is closed.
    """

    id: str
    title: str
    steps: tuple[Step, ...]
    updated: datetime
    state: TaskState = TaskState.OPEN
    outcome: str = ""

    @staticmethod
    def planned(task_id: str, title: str, steps: Iterable[Step], now: datetime) -> Task:
        """A new task. Raises `CallFailed` with `duplicate_step`, `unknown_step`, `cyclic_steps`."""
        planned = Task(id=task_id, title=title, steps=tuple(step.anew() for step in steps), updated=now)
        _check_plan(planned.steps)
        return _settled(planned)

    def at(self, now: datetime) -> Task:
        """As it was changed at a time."""
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
        """What was reported on the steps that a step needs: pairs of id and note, without empty ones."""
        return [(needed, note) for needed in step.needs if (note := self.step(needed).note)]

    def replanned(self, *, title: str | None, steps: Iterable[Step] | None) -> Task:
        """With another title, another plan for what is still to be done, or both.

        Steps that are claimed or done stay, whether they are named or not; all others are replaced by those given.
        Raises `CallFailed` with `step_fixed` for a claimed or done step that is given otherwise than it is, and what
        `planned` raises.
        """
        self._check_open()
        changed = self if title is None else replace(self, title=title)
        if steps is None:
            return changed
        given = [step.anew() for step in steps]
        merged = tuple(self._as_kept(step) for step in given)
        named = {step.id for step in given}
        unnamed = tuple(step for step in self.steps if step.state in _KEPT and step.id not in named)
        _check_plan(unnamed + merged)
        return _settled(replace(changed, steps=unnamed + merged))

    def claimed(self, step_id: str, agent: str) -> Task:
        """With a step given to an agent. Raises `CallFailed` with `unknown_step`, `step_claimed`, `step_not_ready`."""
        self._check_open()
        step = self.step(step_id)
        if step.state is StepState.CLAIMED:
            raise _taken(step, agent)
        if step.state is not StepState.READY:
            raise rejected("step_not_ready", self._why_not_ready(step), "find ready steps with task_query_steps")
        return self._with(replace(step, state=StepState.CLAIMED, claimed_by=agent))

    def reported(self, step_id: str, agent: str, state: StepState, note: str | None) -> Task:
        """With what an agent says of the step that it claimed; without a note the last one stays.

        `DONE` and `FAILED` end it, `READY` gives it back, `CLAIMED` leaves it as it is. Raises `CallFailed` with
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
        return self._with(_given_back(reported) if state is StepState.READY else reported)

    def released(self, agent: str) -> Task:
        """With all steps given back that an agent has claimed and not ended."""
        self._check_open()
        held = self.held_by(agent)
        steps = tuple(_given_back(step) if step in held else step for step in self.steps)
        return _settled(replace(self, steps=steps))

    def held_by(self, agent: str) -> tuple[Step, ...]:
        """The steps that an agent works on."""
        return tuple(step for step in self.steps if step.state is StepState.CLAIMED and step.claimed_by == agent)

    def closed(self, state: TaskState, outcome: str) -> Task:
        """Closed for good. Raises `CallFailed` with `open_steps` where it is to be done and a step is not."""
        self._check_open()
        left = [step for step in self.steps if step.state is not StepState.DONE]
        if state is TaskState.DONE and left:
            listed = _listed(f"{_shown(step.id)} ({step.state})" for step in left)
            hint = "have them done, or take them out with task_update; or close the task with task_fail"
            raise rejected("open_steps", f"not all steps are done: {listed}", hint)
        return _settled(replace(self, state=state, outcome=outcome))

    @property
    def _by_id(self) -> dict[str, Step]:
        return {step.id: step for step in self.steps}

    def _check_open(self) -> None:
        if self.state is not TaskState.OPEN:
            message = f"the task is closed: it is {self.state}"
            raise rejected("task_closed", message, "create another task, if there is more to do")

    def _as_kept(self, given: Step) -> Step:
        """A step of a new plan: as it is, where it is claimed or done already."""
        known = self._by_id.get(given.id)
        if known is None or known.state not in _KEPT:
            return given
        if known.anew() != given:
            message = f"step {_shown(given.id)} is {known.state}, and can no longer be changed"
            raise rejected("step_fixed", message, "leave it out, and name new steps otherwise")
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
    """The task, with every step that nobody has begun pending or ready, as it has to be."""
    done = {step.id for step in task.steps if step.state is StepState.DONE}
    is_open = task.state is TaskState.OPEN

    def settled(step: Step) -> Step:
        if step.state not in _WAITING:
            return step
        return replace(step, state=StepState.READY if is_open and done.issuperset(step.needs) else StepState.PENDING)

    return replace(task, steps=tuple(map(settled, task.steps)))


def _given_back(step: Step) -> Step:
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
            raise rejected("unknown_step", message, "name steps of this task, by their ids")
    try:
        TopologicalSorter({step.id: step.needs for step in steps}).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        message = f"steps need each other in a circle: {_listed(map(_shown, reversed(circle)), ' needs ')}"
        raise rejected("cyclic_steps", message, "leave out one of these needs") from error


def _check_unique(steps: Iterable[Step]) -> None:
    seen = set[str]()
    for step in steps:
        if step.id in seen:
            raise rejected("duplicate_step", f"two steps are called {_shown(step.id)}", "give each step a unique id")
        seen.add(step.id)


def _shown(step_id: str) -> str:
    return repr(step_id if len(step_id) <= 64 else f"{step_id[:63]}…")


def _listed(words: Iterable[str], between: str = ", ") -> str:
    """Join words, the first few of them."""
    listed = list(words)
    return between.join(listed if len(listed) <= 5 else [*listed[:5], f"{len(listed) - 5} more"])
