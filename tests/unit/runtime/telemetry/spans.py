"""Telemetry that keeps spans and metrics in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolgen.runtime.telemetry import Telemetry

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.sampling import Sampler


class Kept:
    """What one `telemetry` recorded."""

    def __init__(self, sampler: Sampler | None = None, **settings: Any) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracers = TracerProvider(sampler=sampler)
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        meters = MeterProvider(metric_readers=[self._reader])
        self.telemetry = Telemetry(tracer_provider=self.tracers, meter_provider=meters, **settings)

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans, in the order in which they ended."""
        return list(self._exporter.get_finished_spans())

    @property
    def one(self) -> ReadableSpan:
        """The only span."""
        (span,) = self.spans
        return span

    def named(self, name: str) -> ReadableSpan:
        """The only span with a name."""
        (span,) = (span for span in self.spans if span.name == name)
        return span

    def tree(self) -> list[str]:
        """The names of the spans by their start, indented by depth."""
        by_id = {span.context.span_id: span for span in self.spans if span.context}

        def depth(span: ReadableSpan) -> int:
            return 1 + depth(by_id[span.parent.span_id]) if span.parent and span.parent.span_id in by_id else 0

        ordered = sorted(self.spans, key=lambda span: span.start_time or 0)
        return [f"{'  ' * depth(span)}{span.name}" for span in ordered]

    def points(self, metric: str) -> list[tuple[dict[str, Any], Any]]:
        """The attributes and the data of each point of a metric."""
        data = self._reader.get_metrics_data()
        return [
            (dict(point.attributes or {}), point)
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for each in scope.metrics
            if each.name == metric
            for point in each.data.data_points
        ]


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span."""
    return dict(span.attributes or {})


def id_of(span: ReadableSpan) -> tuple[int, int]:
    """The ids of the trace of a span, and of the span."""
    assert span.context is not None
    return span.context.trace_id, span.context.span_id
