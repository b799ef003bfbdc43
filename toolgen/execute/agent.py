"""Agent tools: calls that start a run of an agent, executed by the host's planner loop."""

from __future__ import annotations

from asyncio import CancelledError, ensure_future, wait
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic_core import from_json

from toolgen.contract.records import NOTHING, ToolResult, ToolsetRegistration
from toolgen.runtime.base.errors import ExecutorError, RunStopped, ToolNotFound
from toolgen.runtime.base.text_templates import names_of, render
from toolgen.runtime.calls.results.result import tool_error_from_error
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place
from toolgen.runtime.events.records import EventKind, StoreError
from toolgen.runtime.redact.call_secrets import secrets_of_meta
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.children import start_child
from toolgen.schema.json_values import is_number, is_object

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.runs.children import Child
    from toolgen.runtime.runs.run import Run

RunAgent: TypeAlias = "Callable[[AgentRun], Awaitable[Outcome]]"
"""The host's planner loop, which executes a run. If it raises, the call that started the run fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One of the two initial messages of a run."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run of an agent ended.

    `value` is its answer: a JSON value, or a value of the result type of the tool that started it. `telemetry` is a
    JSON object with figures of the run, such as the tokens that its model used.
    """

    value: Any
    telemetry: Mapping[str, Any] = NOTHING


class AgentRun:
    """A run that a call started, passed to the host's planner loop.

    `run` has the agent, its role and its effective set, and in `run.meta` who started it. `messages` are a system
    message, which is empty if no spec has one, and a user message. A run of the role `fork` continues the messages of
    the run `run.meta.parent_run_id`, which the host has.
    """

    def __init__(self, child: Child, system: str, user: str) -> None:
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


async def run_to_end(child: Child, system: str, user: str, run_agent: RunAgent, meta: ToolCallMeta) -> ToolResult[Any]:
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


class AgentExecutor:
    """Runs the tools of one toolset of kind `agent`, by runs of the agent that exports it. Implements `ToolExecutor`.

    Raises `ExecutorError` for an unknown toolset, or one that no agent exports.
    """

    def __init__(self, catalog: Catalog, toolset: str, run_agent: RunAgent) -> None:
        if toolset not in catalog.toolsets:
            raise ExecutorError(f"there is no toolset {toolset} in the catalog")
        compiled = catalog.section("toolsets")[toolset]
        if "exported_by" not in compiled:
            raise ExecutorError(f"no agent exports {toolset}: it is of kind {compiled['kind']}")
        self._agent: Final[str] = compiled["exported_by"]
        self._run_agent: Final = run_agent
        system = catalog.section("agents")[self._agent].get("system", "")
        self._prompts: Final = {
            ident: _Prompt.of(catalog.definition(ident), system) for ident in catalog.toolsets[toolset]
        }

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. If the run fails, the result has an error. Raises `ToolNotFound` and as `start_child` does."""
        if request.name not in self._prompts:
            raise ToolNotFound(request.name)
        system, user = self._prompts[request.name].filled(request.payload)
        return await run_to_end(start_child(meta, self._agent), system, user, self._run_agent, meta)


def executor(catalog: Catalog, toolset: str, run_agent: RunAgent) -> ToolsetRegistration:
    """Return the executor of an `agent` toolset: `Runtime(executors=[executor(catalog, "lab.research", run_agent)])`.

    Raises `ExecutorError` for an unknown toolset, or one that no agent exports.
    """
    return ToolsetRegistration(toolset=toolset, executor=AgentExecutor(catalog, toolset, run_agent), inline=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """The initial messages of runs for one tool: templates, or None for the agent's text and for the args as JSON."""

    agent_system: str
    system: str | None
    user: str | None
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, definition: ToolDefinition, agent_system: str) -> _Prompt:
        fields: Mapping[str, Any] = with_definitions_in_place(dict(definition.input_schema)).get("properties", {})
        return cls(
            agent_system=agent_system,
            system=definition.metadata.get("system"),
            user=definition.metadata.get("user"),
            defaults={
                name: field["default"] for name, field in fields.items() if is_object(field) and "default" in field
            },
        )

    def filled(self, payload: bytes | str) -> tuple[str, str]:
        """Return the system and the user message of a call. Its JSON is decoded only if a template needs it."""
        call = payload if isinstance(payload, str) else payload.decode()
        needs_args = names_of(self.system or "") | names_of(self.user or "")
        values = {"args": {**self.defaults, **from_json(call)}} if needs_args else {}
        return (
            self.agent_system if self.system is None else render(self.system, values),
            call if self.user is None else render(self.user, values),
        )


async def _run_planner(run_agent: RunAgent, agent_run: AgentRun) -> Outcome:
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


async def _ended(run_agent: RunAgent, agent_run: AgentRun) -> Outcome | BaseException:
    """Return the outcome or exception of the planner: a task that raises SystemExit would end the event loop."""
    try:
        return await run_agent(agent_run)
    except BaseException as error:  # noqa: BLE001  # raised by the awaiting code
        return error


def _check_not_aborted(run: Run) -> None:
    if run.progress.is_aborted:
        raise RunStopped(run.progress.abort_reason)


async def _end(child: Child, state: str) -> None:
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
