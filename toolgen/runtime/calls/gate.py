"""The eval gate: an approver that knows what a call costs. It fails open, and cannot override a denial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from toolgen.contract.setters import setter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from toolgen.runtime.calls.checked_call import CheckedCall


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class GateDecision:
    """The answer of a gate. The reason of a refusal is shown to the model."""

    approved: bool
    reason: str = ""

    def __init__(self, *, approved: bool, reason: str = "") -> None:
        # As dataclasses would write it, and a third faster.
        _set_approved(self, approved)
        _set_reason(self, reason)


_set_approved, _set_reason = setter(GateDecision, "approved"), setter(GateDecision, "reason")


Gate: TypeAlias = "Callable[[CheckedCall], GateDecision | Awaitable[GateDecision]]"
