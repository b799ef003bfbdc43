"""What runs the tools of `agent`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

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


class Handlers(Protocol):
    """One method for each tool of `agent`, sync or async."""

    def create_sub_agent(self, args: CreateSubAgentArgs, meta: ToolCallMeta, /) -> Returns[CreateSubAgentResult]:
        """Start a sub agent and wait for its result."""
        ...

    def dispatch_worker(self, args: DispatchWorkerArgs, meta: ToolCallMeta, /) -> Returns[DispatchWorkerResult]:
        """Give a step to a worker and wait for its result."""
        ...

    def fork_agent(self, args: ForkAgentArgs, meta: ToolCallMeta, /) -> Returns[ForkAgentResult]:
        """Continue in a copy of this agent and wait for its result."""
        ...

    def inspect_agent(self, args: InspectAgentArgs, meta: ToolCallMeta, /) -> Returns[InspectAgentResult]:
        """See what an agent did."""
        ...

    def list_agent_definitions(
        self, args: ListAgentDefinitionsArgs, meta: ToolCallMeta, /
    ) -> Returns[ListAgentDefinitionsResult]:
        """List the agents that can be started."""
        ...

    def list_workers(self, args: ListWorkersArgs, meta: ToolCallMeta, /) -> Returns[ListWorkersResult]:
        """List workers and whether they are free."""
        ...

    def plan_template(self, args: PlanTemplateArgs, meta: ToolCallMeta, /) -> Returns[PlanTemplateResult]:
        """Get the template of a plan, as Markdown to fill in."""
        ...

    def task_cancel(self, args: TaskCancelArgs, meta: ToolCallMeta, /) -> Returns[TaskCancelResult]:
        """Close a task that is no longer wanted."""
        ...

    def task_claim_step(self, args: TaskClaimStepArgs, meta: ToolCallMeta, /) -> Returns[TaskClaimStepResult]:
        """Claim a ready step, to work on it. One agent can."""
        ...

    def task_complete(self, args: TaskCompleteArgs, meta: ToolCallMeta, /) -> Returns[TaskCompleteResult]:
        """Close a task whose steps are all done."""
        ...

    def task_create(self, args: TaskCreateArgs, meta: ToolCallMeta, /) -> Returns[TaskCreateResult]:
        """Create a task and its steps."""
        ...

    def task_fail(self, args: TaskFailArgs, meta: ToolCallMeta, /) -> Returns[TaskFailResult]:
        """Close a task as failed, whatever its steps are."""
        ...

    def task_get(self, args: TaskGetArgs, meta: ToolCallMeta, /) -> Returns[TaskGetResult]:
        """Read a task."""
        ...

    def task_list(self, args: TaskListArgs, meta: ToolCallMeta, /) -> Returns[TaskListResult]:
        """List tasks, the one that changed last first."""
        ...

    def task_query_steps(self, args: TaskQueryStepsArgs, meta: ToolCallMeta, /) -> Returns[TaskQueryStepsResult]:
        """Find the steps of a task that are ready, or in another state."""
        ...

    def task_template(self, args: TaskTemplateArgs, meta: ToolCallMeta, /) -> Returns[TaskTemplateResult]:
        """Get the template of a task, as arguments for task_create to fill in."""
        ...

    def task_update(self, args: TaskUpdateArgs, meta: ToolCallMeta, /) -> Returns[TaskUpdateResult]:
        """Change the title of a task, or the steps that are still to be done."""
        ...

    def task_update_step(self, args: TaskUpdateStepArgs, meta: ToolCallMeta, /) -> Returns[TaskUpdateStepResult]:
        """Report on the step that you claimed."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="agent",
        handlers={
            idents.CREATE_SUB_AGENT: handlers.create_sub_agent,
            idents.DISPATCH_WORKER: handlers.dispatch_worker,
            idents.FORK_AGENT: handlers.fork_agent,
            idents.INSPECT_AGENT: handlers.inspect_agent,
            idents.LIST_AGENT_DEFINITIONS: handlers.list_agent_definitions,
            idents.LIST_WORKERS: handlers.list_workers,
            idents.PLAN_TEMPLATE: handlers.plan_template,
            idents.TASK_CANCEL: handlers.task_cancel,
            idents.TASK_CLAIM_STEP: handlers.task_claim_step,
            idents.TASK_COMPLETE: handlers.task_complete,
            idents.TASK_CREATE: handlers.task_create,
            idents.TASK_FAIL: handlers.task_fail,
            idents.TASK_GET: handlers.task_get,
            idents.TASK_LIST: handlers.task_list,
            idents.TASK_QUERY_STEPS: handlers.task_query_steps,
            idents.TASK_TEMPLATE: handlers.task_template,
            idents.TASK_UPDATE: handlers.task_update,
            idents.TASK_UPDATE_STEP: handlers.task_update_step,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="agent",
        executor=executor,
    )
