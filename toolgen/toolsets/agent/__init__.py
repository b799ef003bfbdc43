"""Registration of the built-in toolset `agent`: tasks and agents are two objects, of which a host may have only one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolsetRegistration
from toolgen.toolsets.generated.tools.agent import idents

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.contract.records import ToolCallMeta
    from toolgen.toolsets.agent.agents import AgentTools
    from toolgen.toolsets.agent.tasks import TaskTools

    Handler = Callable[[Any, ToolCallMeta], Any]


def agent_registration(*, tasks: TaskTools | None = None, agents: AgentTools | None = None) -> ToolsetRegistration:
    """Return the registration for `Runtime(executors=[...])`. Without an object, no run has its tools."""
    handlers: dict[str, Handler] = {}
    if tasks is not None:
        handlers |= _of_tasks(tasks)
    if agents is not None:
        handlers |= _of_agents(agents)
    missing = frozenset(str(ident) for ident in idents.ALL if ident not in handlers)
    return ToolsetRegistration(toolset="agent", handlers=handlers, missing=missing)


def _of_tasks(tools: TaskTools) -> dict[str, Handler]:
    return {
        idents.PLAN_TEMPLATE: tools.plan_template,
        idents.TASK_CANCEL: tools.task_cancel,
        idents.TASK_CLAIM_STEP: tools.task_claim_step,
        idents.TASK_COMPLETE: tools.task_complete,
        idents.TASK_CREATE: tools.task_create,
        idents.TASK_FAIL: tools.task_fail,
        idents.TASK_GET: tools.task_get,
        idents.TASK_LIST: tools.task_list,
        idents.TASK_QUERY_STEPS: tools.task_query_steps,
        idents.TASK_TEMPLATE: tools.task_template,
        idents.TASK_UPDATE: tools.task_update,
        idents.TASK_UPDATE_STEP: tools.task_update_step,
    }


def _of_agents(tools: AgentTools) -> dict[str, Handler]:
    return {
        idents.CREATE_SUB_AGENT: tools.create_sub_agent,
        idents.DISPATCH_WORKER: tools.dispatch_worker,
        idents.FORK_AGENT: tools.fork_agent,
        idents.INSPECT_AGENT: tools.inspect_agent,
        idents.LIST_AGENT_DEFINITIONS: tools.list_agent_definitions,
        idents.LIST_WORKERS: tools.list_workers,
    }
