"""Handlers of the tools of the toolset `agent` for plans and tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import rejected
from toolgen.runtime.catalog.execution import blocking, guarded
from toolgen.runtime.policy.effective import CHILD_ROLES
from toolgen.toolsets.agent.tasks.task import Step, StepState, Task, TaskState

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.toolsets.agent.tasks.task import TaskGraph
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
        return PLANS[args.kind or _GENERAL]

    def task_template(self, args: TaskTemplateArgs, _meta: ToolCallMeta, /) -> Any:
        """Get the template of a task, as arguments for task_create to fill in."""
        return TASKS[args.kind or _GENERAL]

    @guarded
    def task_create(self, args: TaskCreateArgs, _meta: ToolCallMeta, /) -> Any:
        """Create a task and its steps."""
        return task_view(self._graph.create(args.title, [new_step(step) for step in args.steps]))

    @blocking
    def task_list(self, args: TaskListArgs, _meta: ToolCallMeta, /) -> Any:
        """List tasks, the most recently changed first."""
        state = None if args.state is None else TaskState(args.state)
        found = self._graph.tasks(state, limit=args.limit + 1)
        return {"tasks": [summary(task) for task in found[: args.limit]], "truncated": len(found) > args.limit}

    @guarded
    def task_update(self, args: TaskUpdateArgs, _meta: ToolCallMeta, /) -> Any:
        """Change the title or the remaining steps of a task."""
        steps = None if args.steps is None else [new_step(step) for step in args.steps]
        return task_view(self._graph.replan(args.task_id, title=args.title, steps=steps))

    @guarded
    def task_complete(self, args: TaskCompleteArgs, _meta: ToolCallMeta, /) -> Any:
        """Close a task whose steps are all done."""
        return task_view(self._graph.close_task(args.task_id, TaskState.DONE, args.summary))

    @guarded
    def task_fail(self, args: TaskFailArgs, _meta: ToolCallMeta, /) -> Any:
        """Close a task as failed, independent of its steps."""
        return task_view(self._graph.close_task(args.task_id, TaskState.FAILED, args.reason))

    @guarded
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

    @guarded
    def task_claim_step(self, args: TaskClaimStepArgs, meta: ToolCallMeta, /) -> Any:
        """Claim a ready step, to work on it."""
        task = self._graph.claim(args.task_id, args.step_id, _claimer(meta))
        return step_view(task, task.step(args.step_id))

    @guarded
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


# Templates of plans and of tasks, by kind. Text in angle brackets is for the model to fill in.

_GENERAL: Final = "general"

_PLAN: Final = """\
# Plan: <what is to be achieved, in one line>

## Done when
- <what can be observed then, and how it is checked>

## Known
- <facts that were checked, each with where it is from>

## Unknown
- <question> -> <how it will be answered, or what is assumed until then>

{sections}## Steps
1. <step>: <what it gives>, needs <numbers of steps, or nothing>

## Not part of this
- <what could be expected, and is left alone>
"""

_CHANGE: Final = """\
## What changes
- <file or part>: <now> -> <then>

## What must not change
- <behaviour, interface or figure>, checked by <test or command>

## Way back
- <how the change is undone>

"""

_BUG: Final = """\
## What happens
- <input and steps> -> <what happens>, expected <what should>; seen in <version, place>

## Possible causes
- <cause>: <what would show that it is, or is not, this one>

## Proof
- <a test that fails now, and passes then>

"""

_RESEARCH: Final = """\
## Questions
- <question>: <what the answer decides>

## Sources
- <source>: <what it can answer, and how far it is to be trusted>

## Answer
- <form and length of the report, and who reads it>

"""

PLANS: Final[dict[str, str]] = {
    kind: _PLAN.format(sections=sections)
    for kind, sections in {_GENERAL: "", "change": _CHANGE, "bug": _BUG, "research": _RESEARCH}.items()
}
"""Plans, as Markdown."""


def _step(step_id: str, title: str, instructions: str, *needs: str) -> dict[str, Any]:
    return {"id": step_id, "title": title, "instructions": instructions, "needs": list(needs)}


_REPORT: Final = "note <what those who go on from here have to know>"

TASKS: Final[dict[str, dict[str, Any]]] = {
    _GENERAL: {
        "title": "<what is to be achieved>",
        "steps": [
            _step("prepare", "<find out what is needed>", f"<what to look at>; {_REPORT}"),
            _step("part-1", "<one part>", "<what to do, and how to tell that it is done>", "prepare"),
            _step("part-2", "<another part, independent of the first>", "<what to do, how to tell>", "prepare"),
            _step("check", "Check the whole", "<command or question that shows it>", "part-1", "part-2"),
        ],
    },
    "change": {
        "title": "<what changes, and for whom>",
        "steps": [
            _step("read", "Read the code that changes", f"<files, callers, tests>; {_REPORT}"),
            _step("tests", "Write tests for the new behaviour", "<cases>; they fail until the change is made", "read"),
            _step("change", "Make the change", "<files>; change nothing else", "read"),
            _step("verify", "Run all checks", "<command>; note what failed, and its output", "tests", "change"),
            _step("describe", "Describe the change", "<changelog, docs>", "verify"),
        ],
    },
    "bug": {
        "title": "<what is wrong, where>",
        "steps": [
            _step("reproduce", "Reproduce it", "<input, steps, version>; note the shortest way that shows it"),
            _step("find", "Find the cause", f"<where to look first>; {_REPORT}", "reproduce"),
            _step("test", "Write a test that fails because of it", "<file of the tests>", "reproduce"),
            _step("fix", "Fix the cause", "<files>; not the symptom alone", "find", "test"),
            _step("verify", "Run all checks, and look for the same mistake elsewhere", "<command>", "fix"),
        ],
    },
    "research": {
        "title": "<the question>",
        "steps": [
            _step("source-1", "<look into one source>", f"<what to find>; note each fact with its place; {_REPORT}"),
            _step(
                "source-2", "<look into another source>", f"<what to find>; note each fact with its place; {_REPORT}"
            ),
            _step("compare", "Compare what was found", "note what agrees, and what does not", "source-1", "source-2"),
            _step("answer", "Write the answer", "<form and length>; name a source for each claim", "compare"),
        ],
    },
}
"""Tasks, as the arguments of `task_create`."""
