"""Trace context: what links a request to another service with the span of its call.

It depends on OpenTelemetry alone: a host that traces without toolgen's spans has its traces continued too. Where
OpenTelemetry is not loaded there is no span, and nothing is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from toolgen.runtime.telemetry.operation import CallSpan


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
    """Set attributes of the span of the running call; those that are None are left out."""
    call = _call_span()
    if call is not None:
        call.span.set_attributes({name: value for name, value in attributes.items() if value is not None})


@contextmanager
def attempt_span(number: int) -> Generator[Callable[[str], None]]:
    """Be in a span of one attempt to make the running call, the first of which is 1.

    The function that it gives marks the attempt as failed, by a code.
    """
    call = _call_span()
    if call is None:
        yield _ignore
        return
    from toolgen.runtime.telemetry.operation import ATTEMPT, part_of

    with part_of(call, f"attempt {number}", {ATTEMPT: number}) as mark_failed:
        yield mark_failed


def _call_span() -> CallSpan | None:
    if "toolgen.runtime.telemetry" not in sys.modules:
        return None
    from opentelemetry.context import get_value

    from toolgen.runtime.telemetry.operation import CALL_SPAN

    return cast("CallSpan | None", get_value(CALL_SPAN))


def _ignore(_code: str) -> None:
    pass
