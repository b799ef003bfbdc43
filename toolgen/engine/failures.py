"""Failures of planners: which of them may pass, and how long the other side asks to wait.

A planner calls the SDK of a model's API, and each SDK has exceptions of its own; none is imported here. What they have
in common is read: the status of an HTTP response, the standard exception that caused them, and the names of classes.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from math import isfinite
from time import time
from typing import Any, Final

from toolgen.contract.records import FailureKind
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.runtime.base.errors import CallFailed, ToolRateLimited


class Hope(StrEnum):
    """Whether asking a planner again helps after a failure."""

    PASSES = "passes"
    """The other side is away, late or busy: it helps to wait, however long."""
    UNKNOWN = "unknown"
    """Nothing tells: it is tried a few times."""
    NONE = "none"
    """A defect, which a repetition only repeats."""


_DEFECTS: Final = (
    TypeError,
    NameError,
    AttributeError,
    ImportError,
    SyntaxError,
    NotImplementedError,
    AssertionError,
    UnsupportedCapability,
)
_AWAY: Final = (ConnectionError, TimeoutError)
_AWAY_ERRNOS: Final = (errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTDOWN, errno.EHOSTUNREACH)
_PASSING_KINDS: Final = (FailureKind.UNAVAILABLE, FailureKind.TIMEOUT, FailureKind.RATE_LIMITED)
_PASSING_STATUSES: Final = (408, 409, 425, 429)
_NO_STATUSES: Final = (501, 505)

_PASSING_NAME: Final = re.compile(
    r"Connect(ion)?(Closed|Reset|Refused|Timeout)?(Error|Exception)|Time(d)?Out|Timeout|DeadlineExceeded|Disconnected"
    r"|Unavailable|Overloaded|RateLimit|Throttl|TooManyRequests|ResourceExhausted|InternalServer|ServerError"
    r"|gaierror|NetworkError|TransportError|RemoteProtocolError|ReadError|WriteError|BadGateway|Retryable"
)
"""Names of classes that the SDKs of OpenAI, Anthropic, Google, AWS, Mistral, httpx, aiohttp and gRPC have for these."""

_DEPTH: Final = 10
"""How many causes of an exception are looked at."""

_LONGEST_WAIT: Final = 24 * 3600.0


def hope_of(error: BaseException) -> Hope:
    """Return whether it helps to ask again after an exception of a planner."""
    for each in _causes(error):
        status = _status(each)
        if status is not None:
            passes = status in _PASSING_STATUSES or (500 <= status < 600 and status not in _NO_STATUSES)
            return Hope.PASSES if passes else Hope.UNKNOWN
        if isinstance(each, ToolRateLimited):
            return Hope.UNKNOWN if each.retry_after is None else Hope.PASSES
        if isinstance(each, CallFailed):
            return Hope.PASSES if each.kind in _PASSING_KINDS else Hope.UNKNOWN
        if isinstance(each, _AWAY) or (isinstance(each, OSError) and each.errno in _AWAY_ERRNOS):
            return Hope.PASSES
        if any(_PASSING_NAME.search(kind.__name__) for kind in type(each).__mro__):
            return Hope.PASSES
    return Hope.NONE if isinstance(error, _DEFECTS) else Hope.UNKNOWN


def wait_of(error: BaseException) -> float | None:
    """Return the seconds that the other side asks to wait, at most a day; None where it says nothing."""
    for each in _causes(error):
        seconds = _seconds(getattr(each, "retry_after", None))
        headers = getattr(getattr(each, "response", None), "headers", None)
        if seconds is None and isinstance(headers, Mapping):
            seconds = _seconds(headers.get("retry-after") or headers.get("Retry-After"))
        if seconds is not None:
            return min(seconds, _LONGEST_WAIT)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, and what caused it; a group has several causes, of which the first counts."""
    found: BaseException | None = error
    for _ in range(_DEPTH):
        if found is None:
            return
        yield found
        inner = found.exceptions[0] if isinstance(found, BaseExceptionGroup) else None
        found = inner or found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _status(error: BaseException) -> int | None:
    """Return the status of the HTTP response that an exception is about."""
    response: Any = getattr(error, "response", None)
    found = [getattr(error, name, None) for name in ("status_code", "status", "http_status", "code")]
    found += [getattr(response, name, None) for name in ("status_code", "status")]
    if isinstance(response, Mapping):  # of botocore
        meta: Any = response.get("ResponseMetadata")
        found.append(meta.get("HTTPStatusCode") if isinstance(meta, Mapping) else None)
    return next((each for each in found if type(each) is int and 400 <= each < 600), None)


def _seconds(value: Any) -> float | None:
    """Return the seconds of `Retry-After`: a number, or a date (RFC 9110, section 10.2.3)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        try:
            seconds = parsedate_to_datetime(str(value)).timestamp() - time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None
