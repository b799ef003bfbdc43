"""Observed agents: runs and the steps of their planners, in spans, if the runtime has telemetry."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.planner import RunOutcome, checked
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from toolgen.agents.planner import Message, Plan, Planner
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.runs.run import Run
    from toolgen.runtime.telemetry import Telemetry, TracedOperation


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
