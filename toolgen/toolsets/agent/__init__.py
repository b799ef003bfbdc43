"""Registration of the built-in toolset `agent`: tasks and agents are two objects, of which a host may have only one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolgen.contract import Ident, ToolsetRegistration
from toolgen.toolsets.generated.tools import agent

if TYPE_CHECKING:
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
    idents = {name for name, value in vars(agent).items() if isinstance(value, Ident)}
    missing = frozenset(str(getattr(agent, name)) for name in idents) - handlers.keys()
    return ToolsetRegistration(toolset="agent", handlers=handlers, missing=missing)


def _of_tasks(tools: TaskTools) -> dict[str, Handler]:
    return {
        agent.PLAN_TEMPLATE: tools.plan_template,
        agent.TASK_CANCEL: tools.task_cancel,
        agent.TASK_CLAIM_STEP: tools.task_claim_step,
        agent.TASK_COMPLETE: tools.task_complete,
        agent.TASK_CREATE: tools.task_create,
        agent.TASK_FAIL: tools.task_fail,
        agent.TASK_GET: tools.task_get,
        agent.TASK_LIST: tools.task_list,
        agent.TASK_QUERY_STEPS: tools.task_query_steps,
        agent.TASK_TEMPLATE: tools.task_template,
        agent.TASK_UPDATE: tools.task_update,
        agent.TASK_UPDATE_STEP: tools.task_update_step,
    }


def _of_agents(tools: AgentTools) -> dict[str, Handler]:
    return {
        agent.CREATE_SUB_AGENT: tools.create_sub_agent,
        agent.DISPATCH_WORKER: tools.dispatch_worker,
        agent.FORK_AGENT: tools.fork_agent,
        agent.INSPECT_AGENT: tools.inspect_agent,
        agent.LIST_AGENT_DEFINITIONS: tools.list_agent_definitions,
        agent.LIST_WORKERS: tools.list_workers,
    }
