"""A runtime for the examples with scripted agents, whose calls pass through the real pipeline."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tests.unit.runtime.tools import idle_executors
from toolgen.agents.exported import agent_executor
from toolgen.agents.planner import RunOutcome
from toolgen.agents.runs import AgentRun, RunAgent, run_to_end
from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.runs.children import start_child
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.agents import AgentTools
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    from toolgen.runtime.events.records import Event
    from toolgen.runtime.runs.run import Run

SEARCH = "orchestrator.research.search"
VERIFY = "orchestrator.research.verify"
SUB = "agent.create_sub_agent"
FORK = "agent.fork_agent"
WORKER = "agent.dispatch_worker"
DELEGATE = "router.delegate_to_agent"
"""A tool of the host that starts an agent."""

FOUND: Final = {"answer": "yes", "sources": []}
VERDICT: Final = {"verdict": "holds", "reason": "it says so"}


def call_of(name: str, /, **args: Any) -> ToolRequest:
    return ToolRequest(name=name, payload=json.dumps(args))


def search(query: str = "why?", **more: Any) -> ToolRequest:
    return call_of(SEARCH, query=query, **more)


def sub(prompt: str = "go", definition: str = "default_sub", **more: Any) -> ToolRequest:
    return call_of(SUB, agent_definition_id=definition, prompt=prompt, **more)


def worker(step: str = "s1", **more: Any) -> ToolRequest:
    return call_of(WORKER, task_id="t1", step_id=step, **more)


def scripted_agent(
    *turns: Sequence[ToolRequest], answer: Any = "done", telemetry: Mapping[str, Any] | None = None
) -> RunAgent:
    """Return a planner loop that makes the calls of each turn, ignores their results, and returns one answer."""

    async def run_agent(run: AgentRun) -> RunOutcome:
        for requests in turns:
            await run.turn(requests)
        return RunOutcome(value=answer, telemetry=telemetry or {})

    return run_agent


class World:
    """`run_agent` implements the agents.

    Tools of `router` and `code` record their caller, and use the functions in `tools`, if any. Ids are numbered:
    `run-1`, `agent-1`, `call-1`, and so on.
    """

    def __init__(
        self,
        run_agent: RunAgent,
        *,
        workers: int = 4,
        tasks: TaskTools | None = None,
        tools: Mapping[str, Callable[[Any, ToolCallMeta], Any]] | None = None,
        **settings: Any,
    ) -> None:
        self.catalog = load("generated")
        self.store = MemoryStore()
        self.ran: list[tuple[str | None, str]] = []
        self._run_agent = run_agent
        self._tools = {DELEGATE: self._delegate, **(tools or {})}
        numbers = count(1)
        self.runtime = Runtime(
            self.catalog,
            executors=[
                agent_executor(self.catalog, "orchestrator.research", run_agent),
                agent_registration(
                    agents=AgentTools(self.catalog, run_agent, workers=workers, tasks=tasks),
                    tasks=tasks or TaskTools(TaskGraph()),
                ),
                ToolsetRegistration(toolset="router", executor=self),
                ToolsetRegistration(toolset="code", executor=self),
                *idle_executors(self.catalog, "orchestrator.research", "agent", "router", "code"),
            ],
            **{
                "permission": allow_all,
                "disabled_policies": ["bot"],
                "store": self.store,
                "new_id": lambda word: f"{word}-{next(numbers)}",
                **settings,
            },
        )

    def start(self, agent: str = "main", **more: Any) -> Run:
        return self.runtime.start_run(agent, meta=ToolCallMeta(user="ann", session_id="s"), **more)

    async def turn(self, *requests: ToolRequest, run: Run | None = None) -> list[ToolResult[Any]]:
        """Make the calls of one turn; asserts that nothing is left running."""
        results = await self.runtime.turn(requests, run or self.start())
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return results

    def now(self, *requests: ToolRequest, **more: Any) -> list[ToolResult[Any]]:
        return asyncio.run(in_time(self.turn(*requests, **more)))

    def one(self, request: ToolRequest, **more: Any) -> ToolResult[Any]:
        return self.now(request, **more)[0]

    def events(self, run_id: str | None, *kinds: str) -> list[Event]:
        """Return the record of a run: all events, or only some kinds."""
        assert run_id is not None
        found = asyncio.run(self.store.read(run_id)).events
        return [event for event in found if not kinds or event.kind in kinds]

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        """Run a tool of `router` or `code`."""
        self.ran.append((meta.run_id, request.name))
        tool = self._tools.get(request.name)
        outcome = tool(json.loads(request.payload), meta) if tool else []
        return await outcome if asyncio.iscoroutine(outcome) else result_of(outcome)

    async def _delegate(self, args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        return await run_to_end(start_child(meta, args["to"]), "", args["request"], self._run_agent, meta)


def result_of(outcome: Any) -> ToolResult[Any]:
    return outcome if isinstance(outcome, ToolResult) else ToolResult(value=outcome)


async def in_time(waiting: Awaitable[Any]) -> Any:
    """Wait with a timeout, which means a missing event."""
    async with asyncio.timeout(10):
        return await waiting


def code_of(result: ToolResult[Any]) -> str:
    return "ok" if result.error is None else result.error.code


def value_of(result: ToolResult[Any]) -> Any:
    """Return the value of a successful call."""
    assert result.error is None, result.error
    return result.value


def run_link(result: ToolResult[Any]) -> Any:
    return result.metadata["run_link"]


class Held:
    """A planner loop whose agents wait until they are released; `started` counts those that have started."""

    def __init__(self, expected: int, answer: Any = "done") -> None:
        self.runs: list[AgentRun] = []
        self.all_started = asyncio.Event()
        self.let_go = asyncio.Event()
        self._expected = expected
        self._answer = answer

    async def __call__(self, run: AgentRun) -> RunOutcome:
        self.runs.append(run)
        if len(self.runs) == self._expected:
            self.all_started.set()
        await self.let_go.wait()
        return RunOutcome(value=self._answer)


def in_loop(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(in_time(main()))
