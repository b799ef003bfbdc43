"""Runs and sessions: in whose name calls are made, what may be called, and what a person allowed so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolCallMeta

if TYPE_CHECKING:
    from asyncio import Future

    from toolgen.runtime.effective import EffectiveSet


@dataclass(slots=True)
class Session:
    """What lasts as long as one sitting of a person, in memory only.

    `grants` are pairs of ident and scope; `children` counts the agents that run now.
    """

    grants: set[tuple[str, tuple[tuple[str, str], ...]]] = field(
        default_factory=set[tuple[str, tuple[tuple[str, str], ...]]]
    )
    children: int = 0


@dataclass(slots=True)
class Progress:
    """How far a run is: the agents it has started, the calls that run, and whether somebody stopped it, and why."""

    children: int = 0
    running: set[Future[Any]] = field(default_factory=set["Future[Any]"])
    is_aborted: bool = False
    abort_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of an agent: what it may call, and what every call of it carries. `Runtime.start_run` makes them."""

    agent: str
    role: str
    mode: str
    effective: EffectiveSet
    session: Session
    meta: ToolCallMeta = field(default_factory=ToolCallMeta)
    progress: Progress = field(default_factory=Progress)

    def abort(self, reason: str = "") -> None:
        """Stop what runs and skip what is left of this turn, and of every later one. Call it in the run's own loop."""
        if not self.progress.is_aborted:
            self.progress.is_aborted, self.progress.abort_reason = True, reason
        for call in self.progress.running:
            call.cancel()

    def __contains__(self, ident: Any) -> bool:
        return ident in self.effective
