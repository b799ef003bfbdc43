"""Runs and sessions: in whose name calls are made, what may be called, and what a person allowed so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolCallMeta

if TYPE_CHECKING:
    from toolgen.runtime.effective import EffectiveSet


@dataclass(slots=True)
class Session:
    """What lasts as long as one sitting of a person, in memory only: the grants, as pairs of ident and scope."""

    grants: set[tuple[str, tuple[tuple[str, str], ...]]] = field(
        default_factory=set[tuple[str, tuple[tuple[str, str], ...]]]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of an agent: what it may call, and what every call of it carries. `Runtime.start_run` makes them."""

    agent: str
    role: str
    mode: str
    effective: EffectiveSet
    session: Session
    meta: ToolCallMeta = field(default_factory=ToolCallMeta)

    def __contains__(self, ident: Any) -> bool:
        return ident in self.effective
