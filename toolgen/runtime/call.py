"""What is known of a tool before its first call, and what the stages know of one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolgen.contract.records import ToolCallMeta, ToolResult

if TYPE_CHECKING:
    from toolgen.runtime.codec import Codec
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.permission import PermissionCallback


class Form(Enum):
    """What an executor takes: typed args, canonical JSON, or the JSON as it came."""

    TYPED = "typed"
    CANONICAL = "canonical"
    RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, as its stages are bound to it."""

    definition: ToolDefinition
    args: Codec[Any]
    result: Codec[Any]
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host decided for all tools."""

    permission: PermissionCallback
    permission_timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, its args checked: what the stages between decoding and executing see of it.

    `given` is what the executor will be given, in the form it takes.
    """

    given: Any
    meta: ToolCallMeta


Decode: TypeAlias = Callable[[bytes | str], Any]
"""Turns a payload into what the executor takes."""

Accept: TypeAlias = Callable[[Any], Any]
"""Turns typed args into what the executor takes."""

Stage: TypeAlias = Callable[[Call], Awaitable[None] | None]
"""Looks at a call before it runs, and raises an exception of `errors` where it must not."""

Run: TypeAlias = Callable[[Any, ToolCallMeta], Any]
"""Runs one call; gives a value, a `ToolResult`, or something to await for either."""

Encode: TypeAlias = Callable[[Any, str], ToolResult[Any]]
"""Turns what the executor gave into the result of the call with that id."""


class Steps(NamedTuple):
    """What every call of one tool goes through."""

    decode: Decode
    accept: Accept
    stages: tuple[Stage, ...]
    run: Run
    encode: Encode
