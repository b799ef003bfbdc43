"""Handlers of the tools of the toolset `agent` that start, list and inspect agents."""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.runs import run_to_end
from toolgen.contract.records import FailureKind, ToolResult
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.json_text import NotJson, json_bytes, parse
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.effective import CHILD_ROLES, ToolsNotGranted
from toolgen.runtime.redact.call_secrets import hide_args, secrets_of_call, secrets_of_tool
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.runs.children import start_child
from toolgen.runtime.runs.run import run_of
from toolgen.schema.json_values import canonical
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from toolgen.agents.runs import RunAgent
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.runs.children import ChildRun
    from toolgen.runtime.runs.run import Run
    from toolgen.toolsets.agent.tasks import TaskTools
    from toolgen.toolsets.generated.tools.agent import (
        CreateSubAgentArgs,
        DispatchWorkerArgs,
        ForkAgentArgs,
        InspectAgentArgs,
        ListAgentDefinitionsArgs,
        ListWorkersArgs,
    )


# Agent definitions: the agents of a catalog that calls may start, by role.


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """An agent that may be started. `system` is its system message."""

    id: str
    role: str
    description: str
    system: str

    def as_json(self) -> dict[str, str]:
        """Return its id, its role, and the first line of its description."""
        purpose = self.description.partition("\n")[0]
        return {"id": self.id, "role": self.role, **({"description": purpose} if purpose else {})}


class AgentDefinitionRegistry:
    """The compiled agents of a catalog, without those that only a host starts."""

    def __init__(self, catalog: Catalog) -> None:
        self._definitions: Final[Mapping[str, AgentDefinition]] = {
            name: AgentDefinition(
                id=name, role=agent["role"], description=agent.get("description", ""), system=agent.get("system", "")
            )
            for name, agent in catalog.section("agents").items()
            if agent["role"] in CHILD_ROLES
        }

    def __iter__(self) -> Iterator[AgentDefinition]:
        return iter(self._definitions.values())

    def find(self, definition_id: str, role: str) -> AgentDefinition:
        """Return the definition with an id. Raises `CallFailed` with `unknown_agent` if none of that role has it."""
        definition = self._definitions.get(definition_id)
        if definition is not None and definition.role == role:
            return definition
        known = [each.id for each in self if each.role == role]
        meant = nearest(definition_id, known) or known
        hint = f"did you mean {' or '.join(meant[:3])}?" if meant else "go on without it: there is none to start"
        message = f"no agent of the role {role} has the definition id {definition_id[:100]!r}"
        raise CallFailed(FailureKind.INVALID_CALL, "unknown_agent", message, hint)


# Records of agents: a short text for each, in memory and bounded.

AGENTS: Final = 200
"""Maximum number of recorded agents; the oldest are dropped."""

CALLS: Final = 50
"""Maximum number of shown calls of one agent, the last ones."""

_SHOWN: Final = 121
_PLAIN_NAME: Final = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(slots=True, kw_only=True)
class AgentRecord:
    """The record of one agent: its title, its run, its state, and a line for each of its last calls.

    Every entry is one line of bounded length, independent of names and args.
    """

    title: str
    run: Run
    state: str = "running"
    count: int = 0
    lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=CALLS))

    def add(self, line: str) -> None:
        """Add a call."""
        self.count += 1
        self.lines.append(f"{self.count}. {line}")

    def __str__(self) -> str:
        left_out = self.count - len(self.lines)
        head = [f"{self.title}: {self.state}, calls: {self.count}"]
        return "\n".join([*head, *([f"(the first {left_out} are left out)"] if left_out else []), *self.lines])


class AgentRecords:
    """Records of agents by id. Secrets in args are redacted as in stores."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._records: OrderedDict[str | None, AgentRecord] = OrderedDict()

    def watch(self, child: ChildRun) -> tuple[ChildRun, AgentRecord]:
        """Start a record; return a child whose calls are recorded."""
        run = child.run
        record = AgentRecord(title=f"{_shown(run.agent)} ({run.role}), run {_shown(str(run.meta.run_id))}", run=run)
        self._records[run.meta.agent_id] = record
        if len(self._records) > AGENTS:
            self._records.popitem(last=False)

        async def turn(requests: Sequence[ToolRequest]) -> list[ToolResult[Any]]:
            results = await child.turn(requests)
            for request, result in zip(requests, results, strict=True):
                record.add(self._line(request, result))
            return results

        return replace(child, turn=turn), record

    def find(self, agent_id: str, meta: ToolCallMeta) -> AgentRecord:
        """Return the record of an agent of the caller's session. Raises `CallFailed` with `unknown_agent`."""
        record = self._records.get(agent_id)
        if record is None or not _is_of_session(record.run, meta):
            message = f"there is no record of an agent with the id {cut(agent_id, _SHOWN)!r}"
            hint = "use the agent_id in the result of the call that started it"
            raise CallFailed(FailureKind.INVALID_CALL, "unknown_agent", message, hint)
        return record

    def _line(self, request: ToolRequest, result: ToolResult[Any]) -> str:
        error = result.error
        ended = "ok" if error is None else _shown(f"{error.code}, {error.message}".partition("\n")[0])
        return f"{self._name(result.tool_name)} {self._args(request, result.tool_name)}: {ended}"

    def _name(self, tool: str) -> str:
        """Return the name of a tool; one with invalid characters is quoted, so that it cannot mislead."""
        return cut(tool, _SHOWN) if _PLAIN_NAME.fullmatch(tool) else _shown(json.dumps(tool, ensure_ascii=False))

    def _args(self, request: ToolRequest, tool: str) -> str:
        of_tool = secrets_of_tool(self._catalog.definition(tool)) if tool in self._catalog else NO_SECRETS
        try:
            args = parse(request.payload)
            return _shown(canonical(hide_args(args, secrets_of_call(of_tool, request.payload))).decode())
        except (NotJson, ValueError):
            return "(no JSON)"


def _is_of_session(run: Run, meta: ToolCallMeta) -> bool:
    """Whether a run belongs to the session of a call: the same object, or else the same id and user.

    Without either, an agent may inspect itself and the agents that it started.
    """
    caller = run_of(meta)
    if caller is not None and caller.session_of(meta) is run.session:
        return True
    if meta.session_id is not None:
        return (meta.session_id, meta.user) == (run.meta.session_id, run.meta.user)
    return meta.agent_id is not None and meta.agent_id in (run.meta.agent_id, run.meta.parent_agent_id)


def _shown(text: str) -> str:
    return cut(visible(text), _SHOWN)


# Workers: limits the number of concurrent workers in one process.


class WorkerPool:
    """A fixed number of workers, named `worker-1` and so on. For one event loop."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a pool needs at least one worker, not {size}")
        self._free: Final = {f"worker-{number}": True for number in range(1, size + 1)}

    @property
    def free(self) -> Mapping[str, bool]:
        """Every worker, and whether it is free."""
        return dict(self._free)

    @contextmanager
    def taken(self) -> Generator[str]:
        """Take a worker within the context. Raises `CallFailed` if none is free."""
        worker = next((worker for worker, is_free in self._free.items() if is_free), None)
        if worker is None:
            message = f"all {len(self._free)} workers are busy"
            raise CallFailed(
                FailureKind.UNAVAILABLE, "child_agent_limit_exceeded", message, "wait until one has finished its step"
            )
        self._free[worker] = False
        try:
            yield worker
        finally:
            self._free[worker] = True


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
