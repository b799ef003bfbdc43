"""Agents plan, claim and update steps at random; the invariants of a task graph hold after each action."""

from __future__ import annotations

from datetime import UTC, datetime
from graphlib import TopologicalSorter
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.tasks.task import Step, StepState, Task, TaskGraph, TaskState

if TYPE_CHECKING:
    from collections.abc import Callable

IDS = st.sampled_from("abcdef")
AGENTS = st.sampled_from(["ann", "ben", "cem"])
PLACES = st.integers(0, 2)
SELDOM = st.integers(0, 3).map(lambda number: number == 3)


@st.composite
def plans(draw: st.DrawFn) -> list[Step]:
    """Draw plans whose steps need earlier ones, and sometimes any others."""
    ids = draw(st.lists(IDS, max_size=5, unique=draw(st.integers(0, 4)) > 0))
    is_wild = draw(st.integers(0, 4)) == 0
    return [
        Step(
            id=step_id,
            title=draw(st.sampled_from(["one", "two"])),
            needs=tuple(draw(st.lists(IDS if is_wild else st.sampled_from(ids[:place]), max_size=2)))
            if is_wild or place
            else (),
        )
        for place, step_id in enumerate(ids)
    ]


class Tasks(RuleBasedStateMachine):
    """`held` maps steps to their confirmed claimers; `closed` contains tasks in their state when they were closed."""

    def __init__(self) -> None:
        super().__init__()
        numbers = count()
        self.graph = TaskGraph(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), new_id=lambda: f"t{next(numbers)}")
        self.held: dict[tuple[str, str], str] = {}
        self.closed: dict[str, Task] = {}
        self.made: list[str] = []

    def teardown(self) -> None:
        self.graph.close()

    def task_at(self, place: int) -> Task:
        return self.graph.get(self.made[place % len(self.made)])

    def tried(self, task: Task, change: Callable[[], Task]) -> str:
        """Make a change and return `ok` or the code of the refusal, which must not have changed anything."""
        try:
            changed = change()
        except CallFailed as failure:
            assert self.graph.get(task.id) == task
            return failure.code
        assert self.graph.get(task.id) == changed
        return "ok"

    @precondition(lambda self: len(self.made) < 3)
    @rule(plan=plans())
    def create(self, plan: list[Step]) -> None:
        if _is_possible(plan):
            self.made.append(self.graph.create("a task", plan).id)
        else:
            with pytest.raises(CallFailed):
                self.graph.create("a task", plan)

    @precondition(lambda self: self.made)
    @rule(place=PLACES, plan=plans(), goes_on=st.booleans())
    def replan(self, place: int, plan: list[Step], goes_on: bool) -> None:
        task = self.task_at(place)
        if goes_on:
            named = {step.id for step in task.steps}
            plan = [*task.steps, *(step for step in plan if step.id not in named)]
        code = self.tried(task, lambda: self.graph.replan(task.id, steps=plan))
        kept = {step.id: step for step in task.steps if step.state in (StepState.CLAIMED, StepState.DONE)}
        if code == "ok":
            after = {step.id: step for step in self.graph.get(task.id).steps}
            assert {step_id: after[step_id] for step_id in kept} == kept
            assert set(after) == set(kept) | {step.id for step in plan}
        else:
            assert code in {"task_closed", "step_fixed", "unknown_step", "duplicate_step", "cyclic_steps"}

    @precondition(lambda self: self.made)
    @rule(data=st.data(), place=PLACES, agent=AGENTS, is_wild=SELDOM)
    def claim(self, data: st.DataObject, place: int, agent: str, is_wild: bool) -> None:
        task = self.task_at(place)
        ready = [step.id for step in task.steps if step.state is StepState.READY]
        step_id = data.draw(IDS if is_wild or not ready else st.sampled_from(ready))
        code = self.tried(task, lambda: self.graph.claim(task.id, step_id, agent))
        assert code == self._expected_of_claim(task, step_id)
        if code == "ok":
            assert (task.id, step_id) not in self.held, "two agents have claimed one step"
            self.held[task.id, step_id] = agent

    @precondition(lambda self: self.held)
    @rule(
        data=st.data(),
        by_another=SELDOM,
        agent=AGENTS,
        state=st.sampled_from([StepState.CLAIMED, StepState.READY, StepState.DONE, StepState.DONE, StepState.FAILED]),
    )
    def report(self, data: st.DataObject, by_another: bool, agent: str, state: StepState) -> None:
        task_id, step_id = data.draw(st.sampled_from(sorted(self.held)))
        holder = self.held[task_id, step_id]
        agent = agent if by_another else holder
        task = self.graph.get(task_id)
        code = self.tried(task, lambda: self.graph.report(task_id, step_id, agent, state, "said"))
        if task_id in self.closed:
            assert code == "task_closed"
        elif agent != holder:
            assert code == "step_not_yours"
        else:
            assert code == "ok"
            if state is not StepState.CLAIMED:
                del self.held[task_id, step_id]

    @rule(agent=AGENTS)
    def release(self, agent: str) -> None:
        self.graph.release(agent)
        for (task_id, step_id), holder in list(self.held.items()):
            if holder == agent and task_id not in self.closed:
                assert self.graph.get(task_id).step(step_id).claimed_by is None
                del self.held[task_id, step_id]

    @precondition(lambda self: self.made)
    @rule(place=PLACES, state=st.sampled_from([TaskState.FAILED, TaskState.CANCELLED]), in_vain=SELDOM)
    def close_task(self, place: int, state: TaskState, in_vain: bool) -> None:
        task = self.task_at(place)
        state = state if in_vain else TaskState.DONE
        code = self.tried(task, lambda: self.graph.close_task(task.id, state, "because"))
        if task.state is not TaskState.OPEN:
            assert code == "task_closed"
        elif state is TaskState.DONE and any(step.state is not StepState.DONE for step in task.steps):
            assert code == "open_steps"
        else:
            assert code == "ok"
            self.closed[task.id] = self.graph.get(task.id)

    @invariant()
    def a_step_is_ready_if_all_it_needs_is_done_and_it_is_unclaimed(self) -> None:
        for task in self.graph.tasks():
            done = {step.id for step in task.steps if step.state is StepState.DONE}
            for step in task.steps:
                may_start = task.state is TaskState.OPEN and done.issuperset(step.needs)
                if step.state in (StepState.PENDING, StepState.READY):
                    assert (step.state is StepState.READY) == may_start
                    assert step.claimed_by is None
                else:
                    assert done.issuperset(step.needs), "it was started too early"
                    assert step.claimed_by is not None

    @invariant()
    def plans_stay_possible(self) -> None:
        for task in self.graph.tasks():
            assert _is_possible(task.steps)

    @invariant()
    def confirmed_claims_persist(self) -> None:
        held = {
            (task.id, step.id): step.claimed_by
            for task in self.graph.tasks()
            for step in task.steps
            if step.state is StepState.CLAIMED
        }
        assert held == self.held

    @invariant()
    def closed_tasks_stay_closed(self) -> None:
        for task_id, task in self.closed.items():
            assert self.graph.get(task_id) == task

    @staticmethod
    def _expected_of_claim(task: Task, step_id: str) -> str:
        found = {step.id: step.state for step in task.steps}
        if task.state is not TaskState.OPEN:
            return "task_closed"
        codes: dict[Any, str] = {None: "unknown_step", StepState.READY: "ok", StepState.CLAIMED: "step_claimed"}
        return codes.get(found.get(step_id), "step_not_ready")


def _is_possible(plan: list[Step] | tuple[Step, ...]) -> bool:
    ids = [step.id for step in plan]
    if len(set(ids)) < len(ids) or any(needed not in ids for step in plan for needed in step.needs):
        return False
    try:
        TopologicalSorter({step.id: step.needs for step in plan}).prepare()
    except ValueError:
        return False
    return True


TestTasks = Tasks.TestCase
TestTasks.settings = settings(stateful_step_count=50)
