"""Telemetry of commands that make calls, by the variables of OpenTelemetry. Needs the extra `otel`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from toolgen.cli.output import echo

if TYPE_CHECKING:
    from toolgen.runtime.telemetry import Telemetry

_ENDPOINTS: Final = tuple(f"OTEL_EXPORTER_OTLP_{signal}ENDPOINT" for signal in ("", "TRACES_", "METRICS_"))
_TIMEOUTS: Final = tuple(f"OTEL_EXPORTER_OTLP_{signal}TIMEOUT" for signal in ("", "TRACES_", "METRICS_"))
_SECONDS: Final = 3.0
"""Seconds for a collector to take an export, unless a variable says so: a command ends only after its last ones."""

_CONTENTS: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def command_telemetry() -> Telemetry | None:
    """Return the telemetry of a command; None unless an endpoint is configured, or a program has set up the SDK.

    A configured endpoint without the SDK is reported on stderr, and the command runs without telemetry: the variables
    may be those of a whole machine.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    if any(os.environ.get(name) for name in _ENDPOINTS):
        try:
            _set_providers()
        except ImportError:
            packages = 'toolgen[otel]" opentelemetry-sdk opentelemetry-exporter-otlp-proto-http'
            echo(f'no telemetry: {_ENDPOINTS[0]} needs the SDK: pip install "{packages}', err=True)
            return None
    elif "opentelemetry.sdk.trace" not in sys.modules:
        return None
    from toolgen.runtime.telemetry import Telemetry

    return Telemetry(contents=os.environ.get(_CONTENTS, "").lower() == "true")


def _set_providers() -> None:
    """Set global providers that export by OTLP over HTTP, unless there are others. Raises ImportError."""
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    seconds = None if any(os.environ.get(name) for name in _TIMEOUTS) else _SECONDS
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "toolgen")})
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        tracers = TracerProvider(resource=resource)
        tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=seconds)))
        trace.set_tracer_provider(tracers)
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=seconds))
        metrics.set_meter_provider(MeterProvider([reader], resource=resource))
