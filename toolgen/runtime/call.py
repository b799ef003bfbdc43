"""One call on its way through the stages, and what is known of its tool before the first call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import ToolError

if TYPE_CHECKING:
    from toolgen.contract.records import ContentBlock, ToolCallMeta
    from toolgen.runtime.codec import Codec
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.permission import PermissionCallback


class Call:
    """What the stages know of one call, and fill in. A plain class, for one is made for every call.

    `tool_name` is the ident once the name is resolved. `payload` is None where the caller gave typed `args`; after the
    decode stage the form that the executor takes is there, `args` or `payload`. `outcome` is what the executor gave,
    `value` and `encoded` the result, `blocks` and `metadata` what goes with it.
    """

    outcome: Any = None
    value: Any = None
    encoded: bytes = b""
    blocks: tuple[ContentBlock, ...] = ()

    def __init__(
        self, tool_name: str, tool_call_id: str, payload: bytes | str | None, args: Any, meta: ToolCallMeta
    ) -> None:
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id
        self.payload = payload
        self.args = args
        self.meta = meta
        self.metadata: dict[str, Any] = {}


class Form(Enum):
    """What an executor takes: typed args, canonical JSON, or the JSON as it came."""

    TYPED = "typed"
    CANONICAL = "canonical"
    RAW = "raw"


Run: TypeAlias = Callable[[Call], Any]
"""Runs one call; gives a value, a `ToolResult`, or something to await for either."""

Stage: TypeAlias = Callable[[Call], ToolError | Awaitable[ToolError | None] | None]
"""One step of a call: None lets it go on, an error ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """All that a stage may bind to: one tool, made ready at its first use."""

    definition: ToolDefinition
    args: Codec[Any]
    result: Codec[Any]
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTool:
    """What a call of one tool goes through."""

    before: tuple[Stage, ...]
    run: Run
    after: tuple[Stage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host decided for all tools."""

    permission: PermissionCallback
    permission_timeout: float
