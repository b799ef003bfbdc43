"""What is known of a tool before its first call, and what the stages know of one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pydantic_core import from_json

from toolgen.contract.canonical import canonical
from toolgen.contract.records import ToolCallMeta, ToolResult

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.runtime.codec import Codec
    from toolgen.runtime.counters.protocol import Counters
    from toolgen.runtime.definition import Entry, ToolDefinition
    from toolgen.runtime.gate import Gate
    from toolgen.runtime.hooks import Hook
    from toolgen.runtime.paths.policy import PathPolicy
    from toolgen.runtime.permission import PermissionCallback
    from toolgen.runtime.policy import Policies
    from toolgen.runtime.run import Run


class Form(Enum):
    """What an executor takes: typed args, canonical JSON, or the JSON as it came."""

    TYPED = "typed"
    CANONICAL = "canonical"
    RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, as its stages are bound to it."""

    definition: ToolDefinition
    entry: Entry
    args: Codec[Any]
    result: Codec[Any]
    form: Form

    def arguments(self, given: Any) -> bytes:
        """The canonical JSON of checked args, in whatever form the executor takes them."""
        return self.args.encode(given) if self.form is Form.TYPED else canonical(from_json(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host decided for all tools. Timeouts are in seconds."""

    permission: PermissionCallback
    policies: Policies
    counters: Counters
    hooks: tuple[Hook, ...]
    gate: Gate | None
    clock: Callable[[], datetime]
    paths: Callable[[], PathPolicy]
    permission_timeout: float
    gate_timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, its args checked: what the stages between decoding and executing see of it.

    `given` is what the executor will be given, in the form it takes. `run` is None for a call outside any run.
    What a stage takes for the time of a call it gives back `at_end`.
    """

    given: Any
    meta: ToolCallMeta
    run: Run | None = None
    at_end: list[Callable[[], None]] = field(default_factory=list["Callable[[], None]"])


Decode: TypeAlias = Callable[[bytes | str], Any]
"""Turns a payload into what the executor takes."""

Accept: TypeAlias = Callable[[Any], Any]
"""Turns typed args into what the executor takes."""

Stage: TypeAlias = Callable[[Call], Awaitable[None] | None]
"""Looks at a call before it runs, and raises an exception of `errors` where it must not."""

Execute: TypeAlias = Callable[[Any, ToolCallMeta], Any]
"""Runs one call; gives a value, a `ToolResult`, or something to await for either."""

Encode: TypeAlias = Callable[[Any, str], ToolResult[Any]]
"""Turns what the executor gave into the result of the call with that id."""


After: TypeAlias = Callable[["Call", ToolResult[Any]], Awaitable[None]]
"""Looks at the result of a call that was executed."""


class Steps(NamedTuple):
    """What every call of one tool goes through. With `runs_handler` whatever is raised in it is the handler's own."""

    decode: Decode
    accept: Accept
    stages: tuple[Stage, ...]
    execute: Execute
    encode: Encode
    runs_handler: bool
    after: After | None
