"""Settings: who may see and answer, under which names, and how much is shown."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.runtime.base.http_names import is_host_of
from toolgen.runtime.policy.approvers import Approver

if TYPE_CHECKING:
    from starlette.requests import Request

Authenticate: TypeAlias = "Callable[[Request], Approver | Awaitable[Approver | None] | None]"
"""Returns who sends a request, as the host knows them; None for whom it does not know."""

MayAnswer: TypeAlias = "Callable[[Approver, Mapping[str, Any]], bool | Awaitable[bool]]"
"""Returns whether someone may see and answer a question: its fields, with `user` and `run_id` of who asks."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_YOU: Final = Approver("(you)", (), "explore")
_HOST: Final = re.compile(r"[^\s/*@]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreSettings:
    """How an explorer is reached, and what it begins with.

    `hosts` are the names by which browsers reach it, with or without a port; without any, those of loopback. `person`
    is who sits before it where nobody authenticates: their name stands beside each answer. `agent` and `user` are
    chosen at first. With `read_only` nothing is called, answered, cancelled, checked or saved. `body_bytes` bounds a
    request, `shown_bytes` a text on a page. `key` signs cookies and forms: hosts with several processes give all of
    them one.
    """

    hosts: tuple[str, ...] = ()
    person: Approver = _YOU
    agent: str = ""
    user: str | None = None
    read_only: bool = False
    body_bytes: int = 4 * 1024 * 1024
    shown_bytes: int = 64 * 1024
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def __post_init__(self) -> None:
        """Raises ValueError for a name that no request could have."""
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"`{host}` is not a host name, such as tools.example.com or 192.0.2.1:8000")

    @property
    def file_bytes(self) -> int:
        """The largest file of a form: a request has its base64 three times at most, as a field and in two texts."""
        return self.body_bytes // 5

    def knows_host(self, name: str) -> bool:
        """Whether a browser may reach this under the name in the header Host."""
        return is_host_of(name, self.hosts or _LOOPBACK)

    def signed(self, what: str) -> str:
        """Return the word that stands for something and cannot be made without the key."""
        return hmac.new(self.key, what.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
