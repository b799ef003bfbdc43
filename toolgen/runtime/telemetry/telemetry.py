"""Telemetry: a span and a duration of every operation, linked to the operation that it is part of.

Spans are current while their operation runs, so whatever a handler does with OpenTelemetry becomes a child of its call.
A failure to record is logged, and never changes how an operation ends.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Coroutine, Generator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from opentelemetry.context import attach, detach, get_current, set_value
from opentelemetry.metrics import get_meter
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span, get_tracer, set_span_in_context

from toolgen import __version__
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.telemetry.operation import (
    AGENT,
    AGENT_DURATION,
    CALL_ID,
    CALL_SPAN,
    CONVERSATION,
    ERROR_CODE,
    ERROR_TYPE,
    EXTENSIONS,
    OPERATION,
    OTHER,
    PROVIDER,
    REQUEST_DURATION,
    RUN_ID,
    SCOPE,
    SECONDS_BUCKETS,
    TOKEN_BUCKETS,
    TOKENS,
    TOOL,
    TOOL_DURATION,
    TOOL_TYPE,
    CallSpan,
    TracedOperation,
    started,
    type_of,
    without_span,
)

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Histogram, MeterProvider
    from opentelemetry.trace import Span, Tracer, TracerProvider

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.telemetry.contents import EndedCall
    from toolgen.runtime.telemetry.operation import Run


# Spans of calls: a span and a duration of every call of a tool, by a wrapper of its plan.

F = TypeVar("F", bound="Callable[..., Coroutine[Any, Any, ToolResult[Any]]]")


class CallSpans:
    """Adds spans to the plans of a runtime. `durations` takes the seconds of each call."""

    def __init__(self, tracer: Tracer, durations: Histogram, *, contents: bool, stages: bool) -> None:
        self._tracer, self._durations = tracer, durations
        self._contents, self._stages = contents, stages

    @property
    def on_end(self) -> Callable[[EndedCall, ToolResult[Any]], None] | None:
        """What has to be called at the end of each call, before its span ends; None if spans need nothing of it."""
        return self._call_ended if self._contents or self._stages else None

    def traced(self, plan: F, ident: str, kind: str) -> F:
        """Return the plan of a tool, with a span and a duration of each call. `kind` is that of its toolset."""
        name = f"execute_tool {ident}"
        attributes = {**_of_tool(ident), TOOL_TYPE: "extension" if kind in EXTENSIONS else "function"}
        tracer, start, end, record = self._tracer, self._tracer.start_span, self._end_call, self._durations.record

        async def traced(
            request: ToolRequest, meta: ToolCallMeta | None, run: Run | None, *typed: Any
        ) -> ToolResult[Any]:
            began, around = perf_counter(), get_current()
            try:
                span = start(name, around, SpanKind.INTERNAL, attributes)
            except Exception as error:  # noqa: BLE001  # samplers and processors are the host's
                span = without_span(name, error)
            context = set_span_in_context(span, around)
            if span.is_recording():
                context = set_value(CALL_SPAN, CallSpan(span, tracer), context)
            elif CALL_SPAN in around:  # that of a call above
                context = set_value(CALL_SPAN, None, context)
            token = attach(context)
            try:
                result = await plan(request, meta, run, *typed)
            except BaseException as error:  # also a cancelled call has an end; raised again
                end(span, context, perf_counter() - began, attributes, error, meta, run)
                raise
            finally:
                detach(token)
            seconds = perf_counter() - began
            if result.error is not None or span.is_recording():
                end(span, context, seconds, attributes, result, meta, run)
            else:  # as `end` does, without its 0.3 µs: most calls are not sampled
                try:
                    record(seconds, attributes, context)
                except Exception as error:  # noqa: BLE001  # views and readers are the host's
                    warn("the duration of a call of %s is not recorded", ident, error=error)
            return result

        return cast("F", traced)

    def traced_refusal(self, refuse: F, known: Container[str]) -> F:
        """Return a function that refuses calls, with a span and a duration of each. `known` are the idents of tools."""

        async def traced(*args: Any, is_on_record: bool = False) -> ToolResult[Any]:
            if is_on_record:  # the call was started, and has a span
                result: ToolResult[Any] = await refuse(*args, is_on_record=True)
                return result
            began = perf_counter()
            result = await refuse(*args)
            is_known = result.tool_name in known
            attributes = _of_tool(result.tool_name if is_known else OTHER)
            name = f"execute_tool {result.tool_name}" if is_known else "execute_tool"
            span = started(self._tracer, name, attributes)
            if not is_known and span.is_recording():
                span.set_attribute(TOOL, result.tool_name)
            seconds = perf_counter() - began
            self._end_call(span, set_span_in_context(span), seconds, attributes, result, None, None)
            return result

        return cast("F", traced)

    def _end_call(
        self,
        span: Span,
        context: Context,
        seconds: float,
        attributes: Mapping[str, str],
        outcome: ToolResult[Any] | BaseException,
        meta: ToolCallMeta | None,
        run: Run | None,
    ) -> None:
        try:
            failure = outcome if isinstance(outcome, BaseException) else outcome.error
            if failure is not None:
                kind = type_of(failure) if isinstance(failure, BaseException) else failure.kind.value
                attributes = {**attributes, ERROR_TYPE: kind}
            self._durations.record(seconds, attributes, context)
            if span.is_recording():
                _describe(span, attributes, outcome, meta or (run.meta if run else None), run)
                span.end()
        except Exception as error:  # noqa: BLE001  # exporters and processors are the host's
            warn("the span of a call of %s is not recorded", attributes[TOOL], error=error)

    def _call_ended(self, call: EndedCall, result: ToolResult[Any]) -> None:
        from toolgen.runtime.telemetry.contents import add_stages, contents_of  # few hosts want them

        span = get_current_span()
        if not span.is_recording():
            return
        try:
            if self._stages and call.trace is not None:
                add_stages(self._tracer, call.trace)
            if self._contents:
                attributes, message = contents_of(call, result)
                span.set_attributes(attributes)
                if message:
                    span.set_status(Status(StatusCode.ERROR, message))
        except Exception as error:  # noqa: BLE001  # processors are the host's
            warn("what a call of %s sent is not in its span", result.tool_name, error=error, secrets=call.secrets)


def _of_tool(ident: str) -> dict[str, str]:
    return {OPERATION: "execute_tool", TOOL: ident}


def _describe(
    span: Span,
    attributes: Mapping[str, str],
    outcome: ToolResult[Any] | BaseException,
    meta: ToolCallMeta | None,
    run: Run | None,
) -> None:
    """Add to a span what is known at the end of its call."""
    if meta is not None:
        for name, value in ((RUN_ID, meta.run_id), (CONVERSATION, meta.session_id)):
            if value:
                span.set_attribute(name, value)
    if run is not None and run.agent:
        span.set_attribute(AGENT, run.agent)
    if not isinstance(outcome, BaseException):
        span.set_attribute(CALL_ID, outcome.tool_call_id)
        if outcome.error is not None:
            span.set_attribute(ERROR_CODE, outcome.error.code)
    if ERROR_TYPE in attributes:
        span.set_attribute(ERROR_TYPE, attributes[ERROR_TYPE])
        status: Status | None = getattr(span, "status", None)
        if status is None or status.is_unset:  # else it has the message
            span.set_status(StatusCode.ERROR)


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
    def agent_run(self, run: Run) -> Generator[TracedOperation]:
        """Be in the span of a run of an agent: its calls are children of the span."""
        name = {AGENT: run.agent} if run.agent else {}
        with self._operation("invoke_agent", run.agent, name, self._of_agents) as operation:
            operation.set({RUN_ID: run.meta.run_id, CONVERSATION: run.meta.session_id})
            yield operation

    @contextmanager
    def plan(self, agent: str) -> Generator[TracedOperation]:
        """Be in the span of one step of a planner."""
        name = {AGENT: agent} if agent else {}
        with self._operation("plan", agent, name, None) as operation:
            yield operation

    @contextmanager
    def model_request(self, provider: str) -> Generator[TracedOperation]:
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
    ) -> Generator[TracedOperation]:
        attributes = {OPERATION: operation, **attributes}
        span = started(self._tracer, f"{operation} {target}".rstrip(), attributes, kind)
        context = set_span_in_context(span)
        began, token = perf_counter(), attach(context)
        current = TracedOperation(span, self._tokens, dict(attributes))
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
