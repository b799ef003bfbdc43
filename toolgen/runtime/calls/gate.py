"""The eval gate: an approver that knows what a call costs. It fails open, and cannot override a denial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from toolgen.runtime.calls.checked_call import CheckedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The answer of a gate. The reason of a refusal is shown to the model."""

    approved: bool
    reason: str = ""


Gate: TypeAlias = "Callable[[CheckedCall], GateDecision | Awaitable[GateDecision]]"
