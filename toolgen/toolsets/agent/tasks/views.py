"""The JSON of tasks and steps in the toolset `agent`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.toolsets.agent.tasks.task import Step, StepState, Task

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.toolsets.generated.tools.agent.models.shared import NewStep


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
