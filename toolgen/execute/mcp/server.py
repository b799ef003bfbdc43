"""An MCP server as specs describe it: how to connect, and what happens when it changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolgen.contract.records import NOTHING
from toolgen.execute.environment import variable, with_variables
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    headers: Mapping[str, str] = NOTHING
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
