"""Trace context: what links a request to another service with the span of its call.

It depends on OpenTelemetry alone: a host that traces without toolgen's spans has its traces continued too. Where
OpenTelemetry is not loaded there is no span, and nothing is imported.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def outgoing_headers() -> dict[str, str]:
    """Return the headers with the current trace context: by default `traceparent` of W3C Trace Context, and baggage."""
    if "opentelemetry.trace" not in sys.modules:
        return {}
    from opentelemetry.propagate import inject

    headers: dict[str, str] = {}
    inject(headers)
    return headers


def describe_call(attributes: Mapping[str, Any]) -> None:
    """Set attributes of the current span if it is that of a call; those that are None are left out."""
    if "toolgen.runtime.telemetry" not in sys.modules:
        return
    from opentelemetry.trace import get_current_span

    from toolgen.runtime.telemetry.names import SCOPE

    span = get_current_span()
    scope = getattr(span, "instrumentation_scope", None)
    if scope is not None and scope.name == SCOPE:
        span.set_attributes({name: value for name, value in attributes.items() if value is not None})
