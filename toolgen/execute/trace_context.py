"""Trace context: what links a request to another service with the span of its call.

It depends on OpenTelemetry alone: a host that traces without toolgen's spans has its traces continued too. Where
OpenTelemetry is not loaded there is no span, and nothing is imported.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


def outgoing_headers() -> dict[str, str]:
    """Return the headers with the current trace context: by default `traceparent` of W3C Trace Context, and baggage."""
    if "opentelemetry.trace" not in sys.modules:
        return {}
    from opentelemetry.propagate import inject

    headers: dict[str, str] = {}
    inject(headers)
    return headers


@contextmanager
def continued(headers: Mapping[str, str]) -> Generator[None]:
    """Be in the trace that `outgoing_headers` returned, maybe in another process and days ago."""
    if not headers:
        yield
        return
    try:
        from opentelemetry.context import attach, detach
        from opentelemetry.propagate import extract
    except ImportError:  # the process that sent them traces, and this one does not
        yield
        return
    token = attach(extract(headers))
    try:
        yield
    finally:
        detach(token)


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
