"""Servers: what an executor knows of the server or API that its calls go to, and how the tools there differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from toolgen.changes.rules import Change
    from toolgen.changes.suspicions import Suspicion

ConnectionState: TypeAlias = Literal["", "not connected", "connected", "failed"]
"""Whether there is a connection; `failed` if the last one could not be opened. Empty for an API, which needs none."""

LoginState: TypeAlias = Literal["none", "given", "stored", "expired", "needed", "unreadable"]
"""`given` are credentials of the environment or of the host, `stored` is a login that a person made.

`needed` are credentials that the server wants and nobody has given.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """What is known without asking the server. `failure` is why it could not be connected to, without credentials."""

    connection: ConnectionState
    login: LoginState
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedServer:
    """How many tools a server offers now, and how they differ from what was compiled, without credentials.

    `changes` are the first of `changes_count`, and `suspicions`, which are about the tools of these, the first of
    `suspicions_count`. `unsearched` tools of these have too much text to be searched for suspicions. `left_out` are
    the first of the offered tools that an import would not add, as far as that is known.
    """

    tools: int
    changes: tuple[Change, ...]
    changes_count: int
    suspicions: tuple[Suspicion, ...]
    suspicions_count: int
    unsearched: int = 0
    left_out: tuple[str, ...] = ()


LeftOut: TypeAlias = "Callable[[Sequence[Mapping[str, Any]]], Collection[str]]"
"""Returns which tools of the list of a server an import would not add, by their names there."""


@runtime_checkable
class KnowsServer(Protocol):
    """An executor that knows the state of its server."""

    def state(self) -> ServerState:
        """Return what is known of the server. Nothing is started or sent."""
        ...


@runtime_checkable
class ChecksServer(Protocol):
    """An executor whose server lists its tools."""

    async def check(self, most: int, left_out: LeftOut | None = None) -> CheckedServer:
        """List the tools of the server anew, and compare them. Raises `CallFailed`.

        `most` bounds the changes and the suspicions that are returned. `left_out` is called in a thread, if there are
        new tools.
        """
        ...
