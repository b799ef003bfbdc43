"""Handlers of the tools of the toolset `agent` that start, list and inspect agents."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.runs import run_to_end
from toolgen.contract.records import FailureKind, ToolResult
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.json_text import json_bytes
from toolgen.runtime.policy.effective import ToolsNotGranted
from toolgen.runtime.runs.children import start_child
from toolgen.schema.json_values import canonical
from toolgen.toolsets.agent.agents.definitions import AgentDefinitionRegistry
from toolgen.toolsets.agent.agents.records import AgentRecords
from toolgen.toolsets.agent.agents.workers import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.agents.runs import RunAgent
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.toolsets.agent.agents.definitions import AgentDefinition
    from toolgen.toolsets.agent.tasks import TaskTools
    from toolgen.toolsets.generated.tools.agent.models.create_sub_agent import CreateSubAgentArgs
    from toolgen.toolsets.generated.tools.agent.models.dispatch_worker import DispatchWorkerArgs
    from toolgen.toolsets.generated.tools.agent.models.fork_agent import ForkAgentArgs
    from toolgen.toolsets.generated.tools.agent.models.inspect_agent import InspectAgentArgs
    from toolgen.toolsets.generated.tools.agent.models.list_agent_definitions import ListAgentDefinitionsArgs
    from toolgen.toolsets.generated.tools.agent.models.list_workers import ListWorkersArgs

FORK: Final = "default_fork"
"""The definition id of forks, which calls do not specify."""

_STEP: Final = """\
Claim step {step} of task {task}, do what it asks for, and report on it there.
Your last answer goes to the agent that gave you the step.\
"""


class AgentTools:
    """Handlers of the tools that start agents: methods of `Handlers` of the toolset `agent`.

    `run_agent` is the host's planner loop, which executes runs. The agents are those of `catalog`, by role: `sub` for
    create_sub_agent, `worker` for dispatch_worker, `fork` for fork_agent. At most `workers` workers run at a time. When
    a run ends, its claimed, unfinished steps of `tasks` are released.

    Results are JSON, not typed, because the toolset is compiled into the host's package.
    """

    def __init__(
        self, catalog: Catalog, run_agent: RunAgent, *, workers: int = 4, tasks: TaskTools | None = None
    ) -> None:
        self._catalog: Final = catalog
        self._run_agent: Final = run_agent
        self._definitions: Final = AgentDefinitionRegistry(catalog)
        self._workers: Final = WorkerPool(workers)
        self._tasks: Final = tasks
        self._records: Final = AgentRecords(catalog)

    async def create_sub_agent(self, args: CreateSubAgentArgs, meta: ToolCallMeta, /) -> Any:
        """Start a sub agent and wait for its result."""
        definition = self._definitions.find(args.agent_definition_id, "sub")
        return await self._run(definition, args.prompt, args.allowed_tools, meta)

    async def fork_agent(self, args: ForkAgentArgs, meta: ToolCallMeta, /) -> Any:
        """Continue in a copy of this agent and wait for its result. The copying is `run_agent`'s."""
        return await self._run(self._definitions.find(FORK, "fork"), args.prompt, args.allowed_tools, meta)

    async def dispatch_worker(self, args: DispatchWorkerArgs, meta: ToolCallMeta, /) -> Any:
        """Assign a step to a worker and wait for its result."""
        definition = self._definitions.find(args.agent_definition_id, "worker")
        user = _STEP.format(step=args.step_id, task=args.task_id)
        with self._workers.taken():
            return await self._run(definition, user, args.allowed_tools, meta)

    def list_agent_definitions(self, _args: ListAgentDefinitionsArgs, _meta: ToolCallMeta, /) -> Any:
        """List the agents that can be started by their ids, with roles and descriptions."""
        return [definition.as_json() for definition in self._definitions if definition.role != "fork"]

    def list_workers(self, _args: ListWorkersArgs, _meta: ToolCallMeta, /) -> Any:
        """List workers and whether they are free."""
        return [{"id": worker, "free": is_free} for worker, is_free in self._workers.free.items()]

    def inspect_agent(self, args: InspectAgentArgs, meta: ToolCallMeta, /) -> str:
        """Return the last calls of an agent, and their outcomes."""
        return str(self._records.find(args.agent_id, meta))

    async def _run(
        self, definition: AgentDefinition, user: str, allowed: Sequence[str] | None, meta: ToolCallMeta
    ) -> ToolResult[Any]:
        try:
            started = start_child(meta, definition.id, requested=allowed)
        except ToolsNotGranted as error:
            refused = ToolsNotGranted(error.agent, self._as_asked(error.names, allowed or ()))
            hint = "remove them from allowed_tools; without it the agent has its default tools"
            raise CallFailed(FailureKind.INVALID_CALL, "validation_error", str(refused), hint) from error
        child, record = self._records.watch(started)
        try:
            result = await run_to_end(child, definition.system, user, self._run_agent, meta)
            record.state = "completed" if result.success else "failed"
        finally:
            if record.state == "running":
                record.state = "cancelled"
            if self._tasks is not None:
                await asyncio.to_thread(self._tasks.release, child.run.meta)
        return _as_child(result, child.run.meta)

    def _as_asked(self, refused: Sequence[str], asked: Sequence[str]) -> list[str]:
        """Return tools by their requested names: an ident for another name would reveal that the tool exists."""
        return [name for name in dict.fromkeys(asked) if name in refused or self._catalog.resolve(name) in refused]


def _as_child(result: ToolResult[Any], run: ToolCallMeta) -> ToolResult[Any]:
    """Add the ids of the run to its result."""
    if result.error is not None:
        return result
    answer = result.value if isinstance(result.value, str) else json_bytes(result.value).decode()
    child = {"agent_id": run.agent_id, "run_id": run.run_id, "result": answer}
    return replace(result, value=None, payload=canonical(child))
