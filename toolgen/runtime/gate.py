"""The eval gate: an approver that knows what a call costs. It fails open, and can never undo a denial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.definition import ToolDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What a gate answers. The reason of a refusal is shown to the model."""

    approved: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """What a gate is asked about one call. The cost is in the tool's metadata; `arguments` is canonical JSON."""

    tool: ToolDefinition
    arguments: bytes
    meta: ToolCallMeta


Gate: TypeAlias = Callable[[GateRequest], GateDecision | Awaitable[GateDecision]]
