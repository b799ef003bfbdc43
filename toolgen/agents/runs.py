"""Runs of agents that a call starts and waits for: executed by the host's planner loop, to their end."""

from __future__ import annotations

from asyncio import CancelledError, ensure_future, wait
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.agents.planner import Message, RunOutcome, checked
from toolgen.contract.records import NOTHING, ToolResult
from toolgen.runtime.base.errors import RunStopped
from toolgen.runtime.calls.result import tool_error_from_error
from toolgen.runtime.events.records import EventKind, StoreError
from toolgen.runtime.redact.call_secrets import secrets_of_meta
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import compact_json, is_number

if TYPE_CHECKING:
    from toolgen.agents.planner import Plan, Planner
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.runs.children import ChildRun
    from toolgen.runtime.runs.run import Run
    from toolgen.runtime.telemetry import Telemetry, TracedOperation

RunAgent: TypeAlias = "Callable[[AgentRun], Awaitable[RunOutcome]]"
"""The host's planner loop, which executes a run. If it raises, the call that started the run fails."""


class AgentRun:
    """A run that a call started, passed to the host's planner loop.

    `run` has the agent, its role and its effective set, and in `run.meta` who started it. `messages` are a system
    message, which is empty if no spec has one, and a user message. A run of the role `fork` continues the messages of
    the run `run.meta.parent_run_id`, which the host has.
    """

    def __init__(self, child: ChildRun, system: str, user: str) -> None:
        self.run: Final[Run] = child.run
        self.messages: Final = (Message(role="system", content=system), Message(role="user", content=user))
        self._turn: Final = child.turn
        self._results: Final[list[ToolResult[Any]]] = []

    async def turn(self, requests: Sequence[ToolRequest]) -> list[ToolResult[Any]]:
        """Make all calls of one response of the model, as `Runtime.turn` does; return a result for each, in order."""
        results = await self._turn(requests)
        self._results.extend(results)
        return results

    @property
    def results(self) -> Sequence[ToolResult[Any]]:
        """The results of its calls so far."""
        return tuple(self._results)


async def run_to_end(
    child: ChildRun, system: str, user: str, run_agent: RunAgent, meta: ToolCallMeta
) -> ToolResult[Any]:
    """Execute a run, and return the result of the call that started it, which has the given `meta`.

    The result is the answer of the run, or its error. Its telemetry is the sum of the figures of the run and of its
    calls, and its metadata has the number of calls (`children_count`) and the id of the run (`run_link`). When the run
    has ended or was cancelled, it makes no more calls, and those that still run are cancelled. Raises `RunStopped` for
    a run that was aborted, even if the planner ignored that.
    """
    agent_run = AgentRun(child, system, user)
    own: Mapping[str, Any] = NOTHING
    state = "failed"
    try:
        with in_span(child.run):
            outcome = await _run_planner(run_agent, agent_run)
            _check_not_aborted(child.run)  # the planner may have swallowed its cancellation
        state, own, result = "completed", outcome.telemetry, ToolResult[Any](value=outcome.value)
    except (CancelledError, RunStopped):
        state = "cancelled"
        raise
    except Exception as error:  # the host's code may raise anything; the result still has the figures of the run
        if child.run.progress.is_aborted:
            state = "cancelled"
            raise RunStopped(child.run.progress.abort_reason) from error
        result = ToolResult[Any](error=tool_error_from_error(error, by_handler=True, secrets=secrets_of_meta(meta)))
    finally:
        meta.report({**_link(child.run), "state": state}, EventKind.AGENT_RUN_ENDED)
        await _end(child, state)
    return replace(
        result,
        telemetry=sum_telemetry(own, (each.telemetry for each in agent_run.results)),
        metadata={"children_count": len(agent_run.results), "run_link": _link(child.run)},
    )


async def _run_planner(run_agent: RunAgent, agent_run: AgentRun) -> RunOutcome:
    """Await the planner in a separate task: if it ignores a cancellation, it still makes no more calls."""
    planner = ensure_future(_ended(run_agent, agent_run))
    cancelled: CancelledError | None = None
    while not planner.done():
        try:
            await wait([planner])
        except CancelledError as error:
            cancelled = error
            agent_run.run.abort("the call that started the run was cancelled")
            planner.cancel()
    outcome = planner.result()
    if cancelled is not None:
        raise cancelled
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def _ended(run_agent: RunAgent, agent_run: AgentRun) -> RunOutcome | BaseException:
    """Return the outcome or exception of the planner: a task that raises SystemExit would end the event loop."""
    try:
        return await run_agent(agent_run)
    except BaseException as error:  # noqa: BLE001  # raised by the awaiting code
        return error


def _check_not_aborted(run: Run) -> None:
    if run.progress.is_aborted:
        raise RunStopped(run.progress.abort_reason)


async def _end(child: ChildRun, state: str) -> None:
    try:
        await child.end(state)
    except StoreError as error:  # the run has happened: the caller gets its result
        warn("the end of a run of %s is not recorded", child.run.agent, error=error)
    finally:
        child.run.abort(f"the run is {state}")


def _link(run: Run) -> dict[str, Any]:
    """Return where the record of a run can be found."""
    return {"run_id": run.meta.run_id, "agent": run.agent, "agent_id": run.meta.agent_id}


def sum_telemetry(own: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Add the numbers of `others` by name; other values are only taken from `own`.

    A number that would make the sum infinite is left out: tools choose what they report.
    """
    total = dict(own)
    for other in others:
        for name, value in other.items():
            if is_number(value) and is_number(total.get(name, 0)):
                total[name] = _sum(total.get(name, 0), value)
    return total


def _sum(total: float, value: float) -> float:
    try:
        added = total + value
        return added if isinstance(added, int) or isfinite(added) else total
    except OverflowError:  # an integer too large for a float
        return total


# Spans of runs and of the steps of their planners, if the runtime has telemetry.


@contextmanager
def in_span(run: Run) -> Generator[TracedOperation | None]:
    """Be in the span of a run; None if its runtime has no telemetry."""
    if run.telemetry is None:
        yield None
    else:
        with run.telemetry.agent_run(run) as operation:
            yield operation


def observed(planner: Planner, run: Run) -> Planner:
    """Return the planner of a run, with a span for each step if its runtime has telemetry."""
    return planner if run.telemetry is None else _ObservedPlanner(planner, run, run.telemetry)


class _ObservedPlanner:
    def __init__(self, planner: Planner, run: Run, telemetry: Telemetry) -> None:
        self._planner: Final = planner
        self._run: Final = run
        self._telemetry: Final = telemetry

    async def plan(
        self, messages: Sequence[Message], tools: Mapping[str, ToolDefinition], meta: ToolCallMeta, /
    ) -> Plan:
        with self._telemetry.plan(self._run.agent) as step:
            plan = checked(await self._planner.plan(messages, tools, meta))
            step.used(plan.telemetry.get("input_tokens"), plan.telemetry.get("output_tokens"))
            if self._telemetry.contents and step.is_recording:
                step.set(_contents(messages, plan, self._run))
        return plan


def _contents(messages: Sequence[Message], plan: Plan, run: Run) -> Mapping[str, str]:
    """Return the attributes with the texts of a step, as JSON, without secrets.

    Args and results are not among them: they are in the spans of their calls, where their secrets are known.
    """
    from toolgen.runtime.redact.call_secrets import hide_data
    from toolgen.runtime.redact.secrets import NO_SECRETS
    from toolgen.runtime.telemetry.operation import INPUT_MESSAGES, OUTPUT_MESSAGES

    if isinstance(plan, RunOutcome):
        text = plan.value if isinstance(plan.value, str) else ""
        answer = {"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"}
    else:
        answer = {**_message(plan.message), "finish_reason": "tool_call"}
    sent = {INPUT_MESSAGES: [_message(each) for each in messages if each.role != "tool"], OUTPUT_MESSAGES: [answer]}
    secrets = NO_SECRETS._replace(values=run.secrets)
    return {name: compact_json(hide_data(value, secrets)) for name, value in sent.items()}


def _message(message: Message) -> dict[str, Any]:
    """Return a message as the conventions have it (gen-ai-input-messages.json), without the args of calls."""
    parts = [{"type": "text", "content": message.content}] if message.content else []
    parts += [{"type": "tool_call", "id": call.tool_call_id, "name": call.name} for call in message.calls]
    return {"role": message.role, "parts": parts}
