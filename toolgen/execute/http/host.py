"""What a host decides for an HTTP API: where it is, credentials, and bounds."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.runtime.base.received import ANSWER_BYTES

if TYPE_CHECKING:
    import httpx2

    from toolgen.execute.command_output import Keep

Headers: TypeAlias = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns headers with credentials; called for each request."""

ARTIFACT_BYTES: Final = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpHost:
    """The host's part of an API.

    `base_url` overrides those of the spec. `environment` has the variables that specs name. `headers` and `auth` are
    credentials of the host's own: with one of them, the `auth` of the spec is not used. `app` is an ASGI application
    that answers the requests in this process, without a socket. `keep` stores binary responses as artifacts. `timeout`
    is in seconds, for each attempt to connect, and for each wait for bytes; `max_wait` is the longest wait in seconds
    before a request is repeated.
    """

    base_url: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    headers: Headers | None = None
    auth: httpx2.Auth | None = None
    app: Any = None
    keep: Keep | None = None
    timeout: float = 30.0
    max_wait: float = 30.0
    response_bytes: int = ANSWER_BYTES
    artifact_bytes: int = ARTIFACT_BYTES

    def __post_init__(self) -> None:
        object.__setattr__(self, "environment", dict(self.environment))  # what is redacted is what is sent later
