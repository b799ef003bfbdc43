"""Idents of the tools of `agent`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.create_sub_agent import CreateSubAgentArgs, CreateSubAgentResult
    from .types.dispatch_worker import DispatchWorkerArgs, DispatchWorkerResult
    from .types.fork_agent import ForkAgentArgs, ForkAgentResult
    from .types.inspect_agent import InspectAgentArgs, InspectAgentResult
    from .types.list_agent_definitions import ListAgentDefinitionsArgs, ListAgentDefinitionsResult
    from .types.list_workers import ListWorkersArgs, ListWorkersResult
    from .types.plan_template import PlanTemplateArgs, PlanTemplateResult
    from .types.task_cancel import TaskCancelArgs, TaskCancelResult
    from .types.task_claim_step import TaskClaimStepArgs, TaskClaimStepResult
    from .types.task_complete import TaskCompleteArgs, TaskCompleteResult
    from .types.task_create import TaskCreateArgs, TaskCreateResult
    from .types.task_fail import TaskFailArgs, TaskFailResult
    from .types.task_get import TaskGetArgs, TaskGetResult
    from .types.task_list import TaskListArgs, TaskListResult
    from .types.task_query_steps import TaskQueryStepsArgs, TaskQueryStepsResult
    from .types.task_template import TaskTemplateArgs, TaskTemplateResult
    from .types.task_update import TaskUpdateArgs, TaskUpdateResult
    from .types.task_update_step import TaskUpdateStepArgs, TaskUpdateStepResult

CREATE_SUB_AGENT: Final[Ident[CreateSubAgentArgs, CreateSubAgentResult]] = Ident("agent.create_sub_agent")
"""Start a sub agent and wait for its result."""

DISPATCH_WORKER: Final[Ident[DispatchWorkerArgs, DispatchWorkerResult]] = Ident("agent.dispatch_worker")
"""Give a step to a worker and wait for its result."""

FORK_AGENT: Final[Ident[ForkAgentArgs, ForkAgentResult]] = Ident("agent.fork_agent")
"""Continue in a copy of this agent and wait for its result."""

INSPECT_AGENT: Final[Ident[InspectAgentArgs, InspectAgentResult]] = Ident("agent.inspect_agent")
"""See what an agent did."""

LIST_AGENT_DEFINITIONS: Final[Ident[ListAgentDefinitionsArgs, ListAgentDefinitionsResult]] = Ident(
    "agent.list_agent_definitions"
)
"""List the agents that can be started."""

LIST_WORKERS: Final[Ident[ListWorkersArgs, ListWorkersResult]] = Ident("agent.list_workers")
"""List workers and whether they are free."""

PLAN_TEMPLATE: Final[Ident[PlanTemplateArgs, PlanTemplateResult]] = Ident("agent.plan_template")
"""Get the template of a plan, as Markdown to fill in."""

TASK_CANCEL: Final[Ident[TaskCancelArgs, TaskCancelResult]] = Ident("agent.task_cancel")
"""Close a task that is no longer wanted."""

TASK_CLAIM_STEP: Final[Ident[TaskClaimStepArgs, TaskClaimStepResult]] = Ident("agent.task_claim_step")
"""Claim a ready step, to work on it. One agent can."""

TASK_COMPLETE: Final[Ident[TaskCompleteArgs, TaskCompleteResult]] = Ident("agent.task_complete")
"""Close a task whose steps are all done."""

TASK_CREATE: Final[Ident[TaskCreateArgs, TaskCreateResult]] = Ident("agent.task_create")
"""Create a task and its steps."""

TASK_FAIL: Final[Ident[TaskFailArgs, TaskFailResult]] = Ident("agent.task_fail")
"""Close a task as failed, whatever its steps are."""

TASK_GET: Final[Ident[TaskGetArgs, TaskGetResult]] = Ident("agent.task_get")
"""Read a task."""

TASK_LIST: Final[Ident[TaskListArgs, TaskListResult]] = Ident("agent.task_list")
"""List tasks, the one that changed last first."""

TASK_QUERY_STEPS: Final[Ident[TaskQueryStepsArgs, TaskQueryStepsResult]] = Ident("agent.task_query_steps")
"""Find the steps of a task that are ready, or in another state."""

TASK_TEMPLATE: Final[Ident[TaskTemplateArgs, TaskTemplateResult]] = Ident("agent.task_template")
"""Get the template of a task, as arguments for task_create to fill in."""

TASK_UPDATE: Final[Ident[TaskUpdateArgs, TaskUpdateResult]] = Ident("agent.task_update")
"""Change the title of a task, or the steps that are still to be done."""

TASK_UPDATE_STEP: Final[Ident[TaskUpdateStepArgs, TaskUpdateStepResult]] = Ident("agent.task_update_step")
"""Report on the step that you claimed."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CREATE_SUB_AGENT,
    DISPATCH_WORKER,
    FORK_AGENT,
    INSPECT_AGENT,
    LIST_AGENT_DEFINITIONS,
    LIST_WORKERS,
    PLAN_TEMPLATE,
    TASK_CANCEL,
    TASK_CLAIM_STEP,
    TASK_COMPLETE,
    TASK_CREATE,
    TASK_FAIL,
    TASK_GET,
    TASK_LIST,
    TASK_QUERY_STEPS,
    TASK_TEMPLATE,
    TASK_UPDATE,
    TASK_UPDATE_STEP,
)
"""Every tool of this toolset."""
