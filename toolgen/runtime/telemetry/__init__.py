"""Telemetry: spans and metrics of runs and calls, by OpenTelemetry. Needs `toolgen[otel]`."""

try:
    import opentelemetry.trace as _trace
except ImportError:
    raise ImportError('telemetry needs the API of OpenTelemetry: pip install "toolgen[otel]"') from None

from toolgen.runtime.telemetry.operation import TracedOperation
from toolgen.runtime.telemetry.telemetry import Telemetry

__all__ = ["Telemetry", "TracedOperation"]

del _trace
