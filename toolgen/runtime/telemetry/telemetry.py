"""Telemetry: a span and a duration of every operation, linked to the operation that it is part of.

Spans are current while their operation runs, so whatever a handler does with OpenTelemetry becomes a child of its call.
A failure to record is logged, and never changes how an operation ends.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Final

from opentelemetry.context import attach, detach
from opentelemetry.metrics import get_meter
from opentelemetry.trace import SpanKind, get_tracer, set_span_in_context

from toolgen import __version__
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.telemetry.call_spans import CallSpans
from toolgen.runtime.telemetry.names import (
    AGENT,
    AGENT_DURATION,
    CONVERSATION,
    OPERATION,
    PROVIDER,
    REQUEST_DURATION,
    RUN_ID,
    SCOPE,
    SECONDS_BUCKETS,
    TOKEN_BUCKETS,
    TOKENS,
    TOOL_DURATION,
)
from toolgen.runtime.telemetry.operation import Operation, started, type_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from opentelemetry.metrics import Histogram, MeterProvider
    from opentelemetry.trace import TracerProvider

    from toolgen.runtime.telemetry.operation import Run


class Telemetry:
    """Spans and metrics of one runtime: `Runtime(..., telemetry=Telemetry())`.

    `contents` adds args, results and messages to spans, redacted as in the record; without it, spans have only names,
    ids, durations and codes. `stages` adds a span for each stage of a call. The providers default to the global ones of
    OpenTelemetry; without an SDK, nothing is recorded.
    """

    def __init__(
        self,
        *,
        contents: bool = False,
        stages: bool = False,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        self.contents: Final = contents
        self._tracer = get_tracer(SCOPE, __version__, tracer_provider)
        meter = get_meter(SCOPE, __version__, meter_provider)

        def seconds(name: str, description: str) -> Histogram:
            return meter.create_histogram(
                name, "s", description, explicit_bucket_boundaries_advisory=list(SECONDS_BUCKETS)
            )

        of_calls = seconds(TOOL_DURATION, "Duration of calls, with those that were denied or failed.")
        self.calls: Final = CallSpans(self._tracer, of_calls, contents=contents, stages=stages)
        self._of_agents = seconds(AGENT_DURATION, "Duration of runs of agents.")
        self._of_requests = seconds(REQUEST_DURATION, "Duration of requests to models.")
        self._tokens = meter.create_histogram(
            TOKENS, "{token}", "Tokens of requests to models.", explicit_bucket_boundaries_advisory=list(TOKEN_BUCKETS)
        )

    @contextmanager
    def agent_run(self, run: Run) -> Generator[Operation]:
        """Be in the span of a run of an agent: its calls are children of the span."""
        name = {AGENT: run.agent} if run.agent else {}
        with self._operation("invoke_agent", run.agent, name, self._of_agents) as operation:
            operation.set({RUN_ID: run.meta.run_id, CONVERSATION: run.meta.session_id})
            yield operation

    @contextmanager
    def plan(self, agent: str) -> Generator[Operation]:
        """Be in the span of one step of a planner."""
        name = {AGENT: agent} if agent else {}
        with self._operation("plan", agent, name, None) as operation:
            yield operation

    @contextmanager
    def model_request(self, provider: str) -> Generator[Operation]:
        """Be in the span of one request to a model, from sending it to the end of the response."""
        with self._operation("chat", "", {PROVIDER: provider}, self._of_requests, SpanKind.CLIENT) as operation:
            yield operation

    @contextmanager
    def _operation(
        self,
        operation: str,
        target: str,
        attributes: Mapping[str, str],
        histogram: Histogram | None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Generator[Operation]:
        attributes = {OPERATION: operation, **attributes}
        span = started(self._tracer, f"{operation} {target}".rstrip(), attributes, kind)
        context = set_span_in_context(span)
        began, token = perf_counter(), attach(context)
        current = Operation(span, self._tokens, dict(attributes))
        try:
            yield current
        except BaseException as error:  # also a cancelled operation has failed; raised again
            current.failed(type_of(error))
            raise
        finally:
            detach(token)
            try:
                if histogram is not None:
                    histogram.record(perf_counter() - began, current.labels, context)
                span.end()
            except Exception as error:  # noqa: BLE001  # exporters and processors are the host's
                warn("the span of %s is not recorded", operation, error=error)
