"""Operations: what a span is about, and what is known at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from opentelemetry.context import attach, create_key, detach
from opentelemetry.trace import NonRecordingSpan, SpanKind, StatusCode, get_current_span, set_span_in_context

from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram
    from opentelemetry.trace import Span, Tracer

    from toolgen.contract.records import ToolCallMeta


# Names of spans, attributes and metrics.
#
# `gen_ai.*` and `error.type` are those of the GenAI semantic conventions (open-telemetry/semantic-conventions-genai,
# v0.1.0), whose Python constants are in private modules of a package that changes with each release. `toolgen.*` are
# our own, where the conventions have nothing.

SCOPE: Final = "toolgen"
"""The instrumentation scope of all spans and metrics."""

OPERATION: Final = "gen_ai.operation.name"
AGENT: Final = "gen_ai.agent.name"
CONVERSATION: Final = "gen_ai.conversation.id"
TOOL: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
CALL_ID: Final = "gen_ai.tool.call.id"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
PROVIDER: Final = "gen_ai.provider.name"
RESPONSE_MODEL: Final = "gen_ai.response.model"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105  # a kind of tokens
ERROR_TYPE: Final = "error.type"

ERROR_CODE: Final = "toolgen.error.code"
RUN_ID: Final = "toolgen.run.id"
STAGE: Final = "toolgen.stage"
ATTEMPT: Final = "toolgen.attempt"
DECISION: Final = "toolgen.decision"

OTHER: Final = "_OTHER"
"""The value of an attribute of a metric for all names that are not known: models invent names of tools."""

TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
AGENT_DURATION: Final = "gen_ai.invoke_agent.duration"
REQUEST_DURATION: Final = "gen_ai.client.operation.duration"
TOKENS: Final = "gen_ai.client.token.usage"

SECONDS_BUCKETS: Final = tuple(0.01 * 2**power for power in range(14))
TOKEN_BUCKETS: Final = tuple(4**power for power in range(14))
"""The boundaries that the conventions recommend for durations and for tokens."""

EXTENSIONS: Final = frozenset({"http", "mcp"})
"""Kinds of toolsets whose tools are of the type `extension`, as they call other services; all others are functions."""


CALL_SPAN: Final = create_key("toolgen-call")
"""The key of the `CallSpan` in the context of a call whose span is sampled."""


class CallSpan(NamedTuple):
    """The span of a running call, and the tracer of its parts."""

    span: Span
    tracer: Tracer


class Run(Protocol):
    """A run, as its spans describe it."""

    @property
    def agent(self) -> str:
        """The name of its agent; empty for a run that has none."""
        ...

    @property
    def meta(self) -> ToolCallMeta:
        """The meta of its calls."""
        ...


class TracedOperation:
    """A running operation. `labels` are the attributes of its metrics, few and with few values."""

    def __init__(self, span: Span, tokens: Histogram, labels: dict[str, str]) -> None:
        self._span, self._tokens, self.labels = span, tokens, labels

    @property
    def is_recording(self) -> bool:
        """Return whether the span is sampled, so that its attributes are recorded."""
        return self._span.is_recording()

    def set(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes of the span; those that are None or empty are left out."""
        self._span.set_attributes({name: value for name, value in attributes.items() if value})

    def used(self, input_tokens: Any, output_tokens: Any) -> None:
        """Record the tokens of a request, as far as they are known. What is not a number of tokens is left out."""
        for name, kind, count in ((INPUT_TOKENS, "input", input_tokens), (OUTPUT_TOKENS, "output", output_tokens)):
            if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                self._span.set_attribute(name, count)
                self._tokens.record(count, {**self.labels, TOKEN_TYPE: kind})

    def failed(self, error_type: str) -> None:
        """Mark the operation as failed. `error_type` has few values, such as a code."""
        self.labels[ERROR_TYPE] = error_type
        mark_failed(self._span, error_type)


def mark_failed(span: Span, error_type: str) -> None:
    """Mark a span as that of a failure. `error_type` has few values, such as a code."""
    span.set_attribute(ERROR_TYPE, error_type)
    span.set_status(StatusCode.ERROR)


def started(tracer: Tracer, name: str, attributes: Mapping[str, str | int], kind: SpanKind = SpanKind.INTERNAL) -> Span:
    """Start a span below the current one."""
    try:
        return tracer.start_span(name, kind=kind, attributes=attributes)
    except Exception as error:  # noqa: BLE001  # samplers and processors are the host's
        return without_span(name, error)


@contextmanager
def part_of(call: CallSpan, name: str, attributes: Mapping[str, str | int]) -> Generator[Callable[[str], None]]:
    """Be in a span of a part of a call. The function that it gives marks the part as failed, by a code."""
    span = started(call.tracer, name, attributes)
    token = attach(set_span_in_context(span))
    try:
        yield partial(mark_failed, span)
    except BaseException as error:  # also a cancelled part has failed; raised again
        mark_failed(span, type_of(error))
        raise
    finally:
        detach(token)
        try:
            span.end()
        except Exception as error:  # noqa: BLE001  # exporters and processors are the host's
            warn("the span %s is not recorded", name, error=error)


def without_span(name: str, error: Exception) -> Span:
    """Return a span in place of one that could not be started: the operations below are those of the current span."""
    warn("the span %s is not recorded", name, error=error)
    return NonRecordingSpan(get_current_span().get_span_context())


def type_of(error: BaseException) -> str:
    """Return the `error.type` of an exception. One that is no error, as of a cancelled task or workflow, cancels."""
    return type(error).__qualname__ if isinstance(error, Exception) else "cancelled"
