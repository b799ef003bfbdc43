"""An MCP server as specs describe it: how to connect, and what happens when it changed."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolgen.contract.records import NOTHING
from toolgen.execute.environment import variable, variables_in, with_variables, without_values, words_of
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.redact.redact import is_secret_field

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2
    from mcp.client.session import ElicitationFnT

    from toolgen.changes.rules import Change
    from toolgen.execute.command_output import Keep


# What a host decides for an MCP server: credentials, questions of the server, and changes of its tools.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "environment", dict(self.environment))  # what is redacted is what is sent later


OnDrift: TypeAlias = Literal["refuse", "ask", "warn"]
"""What happens to a call of a tool that its server changed since it was compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """How to connect to a server: exactly one of `http`, `sse` (URLs) and `stdio` (an argv) is set.

    `$env.NAME` in a URL, an argument or the value of a header stands for an environment variable; a server of `stdio`
    gets the variables in `env`.
    `retries` is how often a call is repeated that cannot have had an effect, or may have it twice.
    """

    http: str = ""
    sse: str = ""
    stdio: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default=NOTHING, repr=False)
    env: tuple[str, ...] = ()
    retries: int = 2
    on_drift: OnDrift = "refuse"

    def __post_init__(self) -> None:
        if sum(map(bool, (self.http, self.sse, self.stdio))) != 1:
            raise ExecutorError("an McpServer needs exactly one of `http`, `sse` and `stdio`")

    @classmethod
    def from_catalog(cls, server: Mapping[str, Any]) -> McpServer:
        """Return the server of a compiled toolset. Raises `ExecutorError` where it has none."""
        lists: dict[str, Any] = {name: tuple(server.get(name, ())) for name in ("stdio", "env")}
        return cls(**(dict(server) | lists))

    def as_compiled(self) -> dict[str, Any]:
        """Return the server as a compiled toolset has it."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}

    @property
    def name(self) -> str:
        """The URL, or the argv, for messages."""
        return self.http or self.sse or " ".join(self.stdio)

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise `ExecutorError` for a variable that the server needs and the environment does not have."""
        self.resolved(environment)
        self.variables(environment)

    def resolved(self, environment: Mapping[str, str]) -> McpServer:
        """Return the server with the values of variables. Raises `ExecutorError` for one that is not set."""

        def value(text: str) -> str:
            return with_variables(text, environment, self.name)

        headers = {name: value(text) for name, text in self.headers.items()}
        stdio = tuple(map(value, self.stdio))
        return replace(self, http=value(self.http), sse=value(self.sse), stdio=stdio, headers=headers)

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a `stdio` server. Raises `ExecutorError` for one that is not set."""
        return {name: variable(name, environment, self.name) for name in self.env}

    def hider(self, environment: Mapping[str, str]) -> Callable[[str], str]:
        """Return a function that removes the values of the server's variables from a text, such as that of an error."""
        return without_values(self._names, environment)

    def credentials(self, environment: Mapping[str, str]) -> list[str]:
        """Return the credentials that the server gets: its secret headers, and what is in variables of secrets."""
        resolved = self.resolved(environment)
        headers = [value for name, value in resolved.headers.items() if is_secret_field(f"/{name}")]
        words = [word for name in self._secret_names for word in words_of(name, environment)]
        return [*headers, *words]

    def repeated(self, text: str, environment: Mapping[str, str]) -> str:
        """Return the name of a variable with a credential whose value is in a text; empty if there is none.

        The variables of headers that have credentials, and those whose names are names of secrets, are looked for.
        """
        for name in self._secret_names:
            if without_values([name], environment)(text) != text:
                return name
        return ""

    @property
    def _secret_names(self) -> list[str]:
        """The variables with credentials: those of secret headers, and those with the name of a secret."""
        secret = [value for name, value in self.headers.items() if is_secret_field(f"/{name}")]
        of_headers = {name for value in secret for name in variables_in(value)}
        return [name for name in self._names if name in of_headers or is_secret_field(f"/{name}")]

    @property
    def _names(self) -> list[str]:
        """The variables that the server needs."""
        texts = (self.http, self.sse, *self.stdio, *self.headers.values())
        return list(dict.fromkeys([*(name for each in texts for name in variables_in(each)), *self.env]))
