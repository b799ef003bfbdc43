"""Telemetry: spans and metrics of runs and calls, by OpenTelemetry. Needs the extra `otel`."""

from toolgen.contract.extras import MissingExtra

try:
    import opentelemetry.trace as _trace
except ImportError:
    raise MissingExtra("telemetry needs the API of OpenTelemetry", "otel") from None

from toolgen.runtime.telemetry.operation import TracedOperation
from toolgen.runtime.telemetry.telemetry import Telemetry

__all__ = ["Telemetry", "TracedOperation"]

del _trace
