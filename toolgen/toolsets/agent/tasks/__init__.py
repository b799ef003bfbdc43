"""Handlers of the tools of the toolset `agent` for plans and tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import rejected
from toolgen.runtime.catalog.execution import blocking
from toolgen.runtime.policy.effective import CHILD_ROLES
from toolgen.toolsets.agent.tasks.task import Step, StepState, Task, TaskState
from toolgen.toolsets.agent.tasks.templates import GENERAL, PLANS, TASKS

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.toolsets.agent.tasks.graph import TaskGraph
    from toolgen.toolsets.generated.tools.agent import (
        NewStep,
        PlanTemplateArgs,
        TaskCancelArgs,
        TaskClaimStepArgs,
        TaskCompleteArgs,
        TaskCreateArgs,
        TaskFailArgs,
        TaskGetArgs,
        TaskListArgs,
        TaskQueryStepsArgs,
        TaskTemplateArgs,
        TaskUpdateArgs,
        TaskUpdateStepArgs,
    )


# The JSON of tasks and steps in the toolset `agent`.


def new_step(given: NewStep) -> Step:
    """Convert a planned step."""
    return Step(id=given.id, title=given.title, instructions=given.instructions or "", needs=tuple(given.needs))


def task_view(task: Task, steps: Iterable[Step] | None = None) -> dict[str, Any]:
    """Return a task, with all its steps or with some."""
    return {
        **_head(task),
        **({"outcome": task.outcome} if task.outcome else {}),
        "steps": [step_view(task, step) for step in (task.steps if steps is None else steps)],
    }


def summary(task: Task) -> dict[str, Any]:
    """Return a task for a list."""
    return {**_head(task), "steps": len(task.steps), "done": sum(step.state is StepState.DONE for step in task.steps)}


def step_view(task: Task, step: Step) -> dict[str, Any]:
    """Return a step without empty fields; a claimed one with the reports of the steps that it needs."""
    inputs = task.inputs(step) if step.state is StepState.CLAIMED else []
    optional = {
        "instructions": step.instructions,
        "claimed_by": step.claimed_by,
        "note": step.note,
        "inputs": [{"step_id": needed, "note": note} for needed, note in inputs],
    }
    return {
        "id": step.id,
        "title": step.title,
        "needs": list(step.needs),
        "state": step.state.value,
        **{name: value for name, value in optional.items() if value},
    }


def _head(task: Task) -> dict[str, Any]:
    updated = task.updated.isoformat(timespec="seconds")
    return {"id": task.id, "title": task.title, "state": task.state.value, "updated": updated}


class TaskTools:
    """Handlers of the tools of plans and tasks: methods of `Handlers` of the toolset `agent`.

    Agents are identified by `agent_id`, or by `run_id` without one: so it must identify one agent, not a kind of agent.
    An agent that was started by another one sees only the ready steps of a task and those that it has claimed. All
    others see the whole `graph`: use a separate one for each user.

    Results are JSON, not typed, because the toolset is compiled into the host's package.
    """

    def __init__(self, graph: TaskGraph) -> None:
        self._graph: Final = graph

    def release(self, meta: ToolCallMeta) -> None:
        """Release the claimed, unfinished steps of an agent, called by the host in a thread when its run has ended."""
        agent = _agent_of(meta)
        if agent is not None:
            self._graph.release(agent)

    def plan_template(self, args: PlanTemplateArgs, _meta: ToolCallMeta, /) -> Any:
        """Get the template of a plan, as Markdown to fill in."""
        return PLANS[args.kind or GENERAL]

    def task_template(self, args: TaskTemplateArgs, _meta: ToolCallMeta, /) -> Any:
        """Get the template of a task, as arguments for task_create to fill in."""
        return TASKS[args.kind or GENERAL]

    @blocking
    def task_create(self, args: TaskCreateArgs, _meta: ToolCallMeta, /) -> Any:
        """Create a task and its steps."""
        return task_view(self._graph.create(args.title, [new_step(step) for step in args.steps]))

    @blocking
    def task_list(self, args: TaskListArgs, _meta: ToolCallMeta, /) -> Any:
        """List tasks, the most recently changed first."""
        state = None if args.state is None else TaskState(args.state)
        found = self._graph.tasks(state, limit=args.limit + 1)
        return {"tasks": [summary(task) for task in found[: args.limit]], "truncated": len(found) > args.limit}

    @blocking
    def task_update(self, args: TaskUpdateArgs, _meta: ToolCallMeta, /) -> Any:
        """Change the title or the remaining steps of a task."""
        steps = None if args.steps is None else [new_step(step) for step in args.steps]
        return task_view(self._graph.replan(args.task_id, title=args.title, steps=steps))

    @blocking
    def task_complete(self, args: TaskCompleteArgs, _meta: ToolCallMeta, /) -> Any:
        """Close a task whose steps are all done."""
        return task_view(self._graph.close_task(args.task_id, TaskState.DONE, args.summary))

    @blocking
    def task_fail(self, args: TaskFailArgs, _meta: ToolCallMeta, /) -> Any:
        """Close a task as failed, independent of its steps."""
        return task_view(self._graph.close_task(args.task_id, TaskState.FAILED, args.reason))

    @blocking
    def task_cancel(self, args: TaskCancelArgs, _meta: ToolCallMeta, /) -> Any:
        """Close a task that is no longer needed."""
        return task_view(self._graph.close_task(args.task_id, TaskState.CANCELLED, args.reason or ""))

    @blocking
    def task_get(self, args: TaskGetArgs, meta: ToolCallMeta, /) -> Any:
        """Read a task."""
        task = self._graph.get(args.task_id)
        return task_view(task, _seen_by(meta, task))

    @blocking
    def task_query_steps(self, args: TaskQueryStepsArgs, meta: ToolCallMeta, /) -> Any:
        """Find the steps of a task that are ready, or in another state."""
        task = self._graph.get(args.task_id)
        wanted = StepState(args.state or StepState.READY)
        return [step_view(task, step) for step in _seen_by(meta, task) if step.state is wanted]

    @blocking
    def task_claim_step(self, args: TaskClaimStepArgs, meta: ToolCallMeta, /) -> Any:
        """Claim a ready step, to work on it."""
        task = self._graph.claim(args.task_id, args.step_id, _claimer(meta))
        return step_view(task, task.step(args.step_id))

    @blocking
    def task_update_step(self, args: TaskUpdateStepArgs, meta: ToolCallMeta, /) -> Any:
        """Report on a claimed step."""
        task = self._graph.report(args.task_id, args.step_id, _claimer(meta), StepState(args.state), args.note)
        return step_view(task, task.step(args.step_id))


def _agent_of(meta: ToolCallMeta) -> str | None:
    return meta.agent_id or meta.run_id


def _claimer(meta: ToolCallMeta) -> str:
    agent = _agent_of(meta)
    if agent is None:
        message = "steps are claimed by agents, but this call has no agent id"
        raise rejected("no_agent", message, "go on without claiming it")
    return agent


def _seen_by(meta: ToolCallMeta, task: Task) -> tuple[Step, ...]:
    if meta.agent_role not in CHILD_ROLES:
        return task.steps
    agent = _agent_of(meta)
    return tuple(
        step for step in task.steps if step.state is StepState.READY or (agent is not None and step.claimed_by == agent)
    )
