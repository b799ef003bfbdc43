"""The loop of an agent: plan, make the calls, resume with their results, until the planner has an answer."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen.agents.planner import Message, RunOutcome, checked
from toolgen.agents.runs import in_span, observed, sum_telemetry
from toolgen.contract.records import NOTHING, FailureKind
from toolgen.llm.presentations.protocol import text_of
from toolgen.runtime.base.errors import CallFailed, RunStopped
from toolgen.runtime.runs.run import check_not_ended

if TYPE_CHECKING:
    from toolgen.agents.planner import Planner
    from toolgen.agents.runs import AgentRun, RunAgent
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.runs.run import Run

MAX_TURNS: Final = 50
"""How often a planner plans, unless the caller says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    """How a run went. `messages` are the whole conversation, those that were given first.

    `outcome` is None unless `stopped` is `completed`. After `max_turns`, `run_agent` with `messages` goes on in another
    run.
    """

    outcome: RunOutcome | None
    messages: tuple[Message, ...]
    turns: int
    stopped: Literal["completed", "max_turns", "aborted"]
    telemetry: Mapping[str, Any] = NOTHING


class RunTools(Mapping[str, "ToolDefinition"]):
    """The definitions of the tools that a run offers, by ident. Each is read from the catalog when it is used."""

    def __init__(self, catalog: Catalog, run: Run) -> None:
        self._catalog: Final = catalog
        effective = run.effective
        self._offered: Final = dict.fromkeys(effective.offered)
        self._discovery: Final = effective.offered_discovery

    def __getitem__(self, ident: str) -> ToolDefinition:
        if ident not in self._offered and ident not in self._discovery:
            raise KeyError(ident)
        return self._catalog.definition(ident)

    def __iter__(self) -> Iterator[str]:
        return iter(self._offered)

    def __len__(self) -> int:
        return len(self._offered)


async def run_agent(
    runtime: Runtime,
    agent: str,
    messages: Sequence[Message],
    planner: Planner,
    *,
    run: Run | None = None,
    max_turns: int = MAX_TURNS,
) -> AgentResult:
    """Run an agent in this process, to its end, and record that.

    `run`, by default a new one of the compiled `agent`, may come from `Runtime.start_run`: with a user, a session, a
    mode. Its calls go through the runtime; their results are shown to the planner, errors included. Raises what the
    planner raises, ValueError for `max_turns` below 1, as `start_run` does, `RunEnded` for a run that has ended, and
    `StoreError`.
    """
    if max_turns < 1:
        raise ValueError(f"max_turns is {max_turns}; it must be at least 1")
    run = runtime.start_run(agent) if run is None else run
    reason = "failed"
    with in_span(run) as span:
        try:
            result = await _loop(
                planner,
                messages,
                run,
                RunTools(runtime.catalog, run),
                lambda calls: runtime.turn(calls, run),
                max_turns,
            )
            reason = result.stopped
        except CancelledError:
            reason = "cancelled"
            raise
        finally:
            await runtime.end_run(run, reason)
        if span is not None and result.outcome is None:
            span.failed(result.stopped)
    return result


def planner_loop(planner: Planner, catalog: Catalog, *, max_turns: int = MAX_TURNS) -> RunAgent:
    """Return the planner loop of agents that calls start, for `agent_executor` and `AgentTools`.

    A run without an answer after `max_turns` fails with the code `max_turns`.
    """

    async def execute(child: AgentRun) -> RunOutcome:
        run = child.run
        result = await _loop(planner, child.messages, run, RunTools(catalog, run), child.turn, max_turns)
        if result.outcome is None:
            if result.stopped == "aborted":
                raise RunStopped(run.progress.abort_reason)
            raise CallFailed(
                FailureKind.UNAVAILABLE, "max_turns", f"{run.agent} had no answer after {result.turns} turns"
            )
        return RunOutcome(value=result.outcome.value, telemetry=result.telemetry)

    return execute


async def _loop(
    planner: Planner,
    messages: Sequence[Message],
    run: Run,
    tools: Mapping[str, ToolDefinition],
    turn: Callable[[Sequence[ToolRequest]], Awaitable[list[ToolResult[Any]]]],
    max_turns: int,
) -> AgentResult:
    planner = observed(planner, run)
    history = [*messages]
    telemetry: Mapping[str, Any] = NOTHING
    for number in range(1, max_turns + 1):
        if run.progress.is_aborted:
            return AgentResult(outcome=None, messages=tuple(history), turns=number - 1, stopped="aborted")
        check_not_ended(run)
        plan = checked(await planner.plan(tuple(history), tools, run.meta))
        telemetry = sum_telemetry(telemetry, [plan.telemetry])
        if isinstance(plan, RunOutcome):
            return AgentResult(
                outcome=plan, messages=tuple(history), turns=number, stopped="completed", telemetry=telemetry
            )
        calls = plan.message.calls
        history += [plan.message, *answers(calls, await turn(calls))]
    stopped: Literal["aborted", "max_turns"] = "aborted" if run.progress.is_aborted else "max_turns"
    return AgentResult(outcome=None, messages=tuple(history), turns=max_turns, stopped=stopped, telemetry=telemetry)


def answers(calls: Sequence[ToolRequest], results: Sequence[ToolResult[Any]]) -> list[Message]:
    """Return the messages with which calls are answered."""
    return [
        Message(
            role="tool",
            name=call.name,
            tool_call_id=result.tool_call_id,
            content=text_of(result),
            is_error=result.is_error,
        )
        for call, result in zip(calls, results, strict=True)
    ]
