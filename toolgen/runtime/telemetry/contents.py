"""What spans have of a call beyond its name: its args and result, redacted as in the record, and its stages."""

from __future__ import annotations

import json
from time import time_ns
from typing import TYPE_CHECKING, Any, Protocol

from toolgen.runtime.events.encoding import encode_result, event_data
from toolgen.runtime.events.records import EventKind, NewEvent, marks_of, now
from toolgen.runtime.telemetry.operation import ARGUMENTS, DECISION, RESULT, STAGE
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.events.records import Trace
    from toolgen.runtime.redact.secrets import Secrets


class EndedCall(Protocol):
    """A call at its end. `given` are its decoded args, None if they could not be decoded."""

    given: Any
    trace: Trace | None

    @property
    def args_text(self) -> bytes | str:
        """The args as JSON text."""
        ...

    @property
    def secrets(self) -> Secrets:
        """The secrets of the call."""
        ...


def contents_of(call: EndedCall, result: ToolResult[Any]) -> tuple[dict[str, str], str]:
    """Return the attributes with the args and the result of a call as JSON texts, and the message of its error.

    Raises ValueError or TypeError for a result that is not JSON.
    """
    secrets = call.secrets
    attributes: dict[str, str] = {}
    if call.given is not None:
        event = NewEvent(EventKind.TOOL_STARTED, "", args=call.args_text, secrets=secrets)
        attributes[ARGUMENTS] = compact_json(event_data(event)["args"])
    content: dict[str, Any] = json.loads(encode_result(result, secrets))["content"]
    if "error" in content:
        message: str = content["error"]["message"]
        return attributes, message
    attributes[RESULT] = compact_json(content["value"] if "value" in content else content["blocks"])
    return attributes, ""


def add_stages(tracer: Tracer, trace: Trace) -> None:
    """Add a span for each stage of a call to the current span."""
    to_wall_clock = time_ns() - now()
    at: int = trace[1] + to_wall_clock
    for stage, decision, ns in marks_of(trace):
        attributes = {STAGE: stage, DECISION: decision} if decision else {STAGE: stage}
        span = tracer.start_span(f"stage {stage}", attributes=attributes, start_time=at)
        at += ns
        span.end(at)
