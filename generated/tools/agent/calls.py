"""Call builders of `agent`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.shared import NewStep, StepState, TaskState, TemplateKind


def new_create_sub_agent_call(
    *, agent_definition_id: str, prompt: str, allowed_tools: list[str] | None = None
) -> ToolRequest:
    """Ask for `agent.create_sub_agent`: Start a sub agent and wait for its result.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.CREATE_SUB_AGENT,
        codecs.CREATE_SUB_AGENT_ARGS,
        {"agent_definition_id": agent_definition_id, "prompt": prompt, "allowed_tools": allowed_tools},
    )


def new_dispatch_worker_call(
    *, task_id: str, step_id: str, agent_definition_id: str = "default_worker", allowed_tools: list[str] | None = None
) -> ToolRequest:
    """Ask for `agent.dispatch_worker`: Give a step to a worker and wait for its result.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.DISPATCH_WORKER,
        codecs.DISPATCH_WORKER_ARGS,
        {
            "task_id": task_id,
            "step_id": step_id,
            "agent_definition_id": agent_definition_id,
            "allowed_tools": allowed_tools,
        },
        {"agent_definition_id": "default_worker"},
    )


def new_fork_agent_call(*, prompt: str, allowed_tools: list[str] | None = None) -> ToolRequest:
    """Ask for `agent.fork_agent`: Continue in a copy of this agent and wait for its result.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FORK_AGENT, codecs.FORK_AGENT_ARGS, {"prompt": prompt, "allowed_tools": allowed_tools})


def new_inspect_agent_call(*, agent_id: str) -> ToolRequest:
    """Ask for `agent.inspect_agent`: See what an agent did.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INSPECT_AGENT, codecs.INSPECT_AGENT_ARGS, {"agent_id": agent_id})


def new_list_agent_definitions_call() -> ToolRequest:
    """Ask for `agent.list_agent_definitions`: List the agents that can be started.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST_AGENT_DEFINITIONS, codecs.LIST_AGENT_DEFINITIONS_ARGS, {})


def new_list_workers_call() -> ToolRequest:
    """Ask for `agent.list_workers`: List workers and whether they are free.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST_WORKERS, codecs.LIST_WORKERS_ARGS, {})


def new_plan_template_call(*, kind: TemplateKind | None = None) -> ToolRequest:
    """Ask for `agent.plan_template`: Get the template of a plan, as Markdown to fill in.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PLAN_TEMPLATE, codecs.PLAN_TEMPLATE_ARGS, {"kind": kind})


def new_task_cancel_call(*, task_id: str, reason: str | None = None) -> ToolRequest:
    """Ask for `agent.task_cancel`: Close a task that is no longer wanted.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_CANCEL, codecs.TASK_CANCEL_ARGS, {"task_id": task_id, "reason": reason})


def new_task_claim_step_call(*, task_id: str, step_id: str) -> ToolRequest:
    """Ask for `agent.task_claim_step`: Claim a ready step, to work on it. One agent can.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_CLAIM_STEP, codecs.TASK_CLAIM_STEP_ARGS, {"task_id": task_id, "step_id": step_id})


def new_task_complete_call(*, task_id: str, summary: str) -> ToolRequest:
    """Ask for `agent.task_complete`: Close a task whose steps are all done.

    Args:
        summary: What was achieved.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_COMPLETE, codecs.TASK_COMPLETE_ARGS, {"task_id": task_id, "summary": summary})


def new_task_create_call(*, title: str, steps: list[NewStep]) -> ToolRequest:
    """Ask for `agent.task_create`: Create a task and its steps.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_CREATE, codecs.TASK_CREATE_ARGS, {"title": title, "steps": steps})


def new_task_fail_call(*, task_id: str, reason: str) -> ToolRequest:
    """Ask for `agent.task_fail`: Close a task as failed, whatever its steps are.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_FAIL, codecs.TASK_FAIL_ARGS, {"task_id": task_id, "reason": reason})


def new_task_get_call(*, task_id: str) -> ToolRequest:
    """Ask for `agent.task_get`: Read a task.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_GET, codecs.TASK_GET_ARGS, {"task_id": task_id})


def new_task_list_call(*, state: TaskState | None = None, limit: int = 20) -> ToolRequest:
    """Ask for `agent.task_list`: List tasks, the one that changed last first.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_LIST, codecs.TASK_LIST_ARGS, {"state": state, "limit": limit}, {"limit": 20})


def new_task_query_steps_call(*, task_id: str, state: StepState | None = None) -> ToolRequest:
    """Ask for `agent.task_query_steps`: Find the steps of a task that are ready, or in another state.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_QUERY_STEPS, codecs.TASK_QUERY_STEPS_ARGS, {"task_id": task_id, "state": state})


def new_task_template_call(*, kind: TemplateKind | None = None) -> ToolRequest:
    """Ask for `agent.task_template`: Get the template of a task, as arguments for task_create to fill in.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_TEMPLATE, codecs.TASK_TEMPLATE_ARGS, {"kind": kind})


def new_task_update_call(*, task_id: str, title: str | None = None, steps: list[NewStep] | None = None) -> ToolRequest:
    """Ask for `agent.task_update`: Change the title of a task, or the steps that are still to be done.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TASK_UPDATE, codecs.TASK_UPDATE_ARGS, {"task_id": task_id, "title": title, "steps": steps})


def new_task_update_step_call(
    *, task_id: str, step_id: str, state: Literal["claimed", "ready", "done", "failed"], note: str | None = None
) -> ToolRequest:
    """Ask for `agent.task_update_step`: Report on the step that you claimed.

    Args:
        state: `done` and `failed` end the step, `ready` gives it back, `claimed` keeps it and leaves a note.
        note: For those who go on from here: results, or why not.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.TASK_UPDATE_STEP,
        codecs.TASK_UPDATE_STEP_ARGS,
        {"task_id": task_id, "step_id": step_id, "state": state, "note": note},
    )
