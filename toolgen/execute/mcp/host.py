"""What a host decides for an MCP server: credentials, questions of the server, and changes of its tools."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2
    from mcp.client.session import ElicitationFnT

    from toolgen.changes.change import Change
    from toolgen.execute.command.output import Keep

Headers: TypeAlias = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns headers with credentials; called each time that a connection is opened."""

AcceptChanges: TypeAlias = "Callable[[str, Sequence[Change]], Awaitable[bool]]"
"""Whether a changed tool may be called: given its ident and what changed. Asked once for each change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHost:
    """The host's part of a connection.

    `environment` has the variables that specs name. `headers` and `auth` are for servers with a URL. `on_elicitation`
    answers questions that a server asks in the middle of a call; without it, servers cannot ask. `accept_changes`
    decides where a toolset has `on_drift: ask`; without it, changed tools are refused. `keep` stores images and other
    binary content as artifacts. `timeout` is in seconds, for connecting.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    headers: Headers | None = None
    auth: httpx2.Auth | None = None
    cwd: str | Path | None = None
    on_elicitation: ElicitationFnT | None = None
    accept_changes: AcceptChanges | None = None
    keep: Keep | None = None
    timeout: float = 30.0
    client_info: Mapping[str, Any] = field(default_factory=lambda: {"name": "toolgen", "version": "1"})
