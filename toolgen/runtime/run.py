"""Runs and sessions: in whose name calls are made, what may be called, and what a person allowed so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.effective import EffectiveSet, effective_set
from toolgen.runtime.errors import UnknownAgent
from toolgen.runtime.suggest import nearest

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import Callable, Iterable

    from toolgen.runtime.catalog import Catalog
    from toolgen.runtime.policy import Policies

Scope: TypeAlias = tuple[tuple[str, str], ...]
"""What a call touches: pairs of what it is and its value, sorted."""

Grant: TypeAlias = tuple[str, Scope]
"""What a person allowed for a session: an ident, and the scope that it may touch."""


@dataclass(slots=True)
class Session:
    """What lasts as long as one sitting of a person, in memory only. `children` counts the agents that run now."""

    grants: set[Grant] = field(default_factory=set[Grant])
    children: int = 0


@dataclass(slots=True)
class Progress:
    """How far a run is: the agents it has started, the calls that run, and whether somebody stopped it, and why."""

    children: int = 0
    running: set[Task[Any]] = field(default_factory=set["Task[Any]"])
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
        progress = self.progress
        if not progress.is_aborted:
            progress.is_aborted, progress.abort_reason = True, reason
            for call in progress.running:
                call.cancel()

    def takes_back_abort(self) -> bool:
        """Whether `abort`, and nothing else, cancelled the current task, a call; then it is not cancelled any more."""
        from asyncio import current_task  # slow to import, and few calls are aborted

        task = current_task()
        if task is None or not self.progress.is_aborted or task not in self.progress.running or task.cancelling() != 1:
            return False
        task.uncancel()
        return True

    def __contains__(self, ident: Any) -> bool:
        return ident in self.effective


class Agents:
    """The compiled agents of a catalog, under the policies in force.

    What an agent may call is worked out once for each role, mode and request: with ten thousand tools that takes 50 ms.
    """

    def __init__(self, catalog: Catalog, policies: Policies) -> None:
        self._catalog = catalog
        self._policies = policies
        self._effective = lru_cache(maxsize=256)(self._effective_set)

    def new_run(
        self,
        agent: str,
        *,
        role: str,
        mode: str,
        requested: Iterable[str] | None,
        session: Session | None,
        meta: ToolCallMeta,
    ) -> Run:
        """Make a run. Raises `UnknownAgent` and `OutsideBase`."""
        agents = self._catalog.section("agents")
        if agent not in agents:
            raise UnknownAgent(agent, nearest(agent, agents))
        in_role: str = role or agents[agent]["role"]
        return Run(
            agent=agent,
            role=in_role,
            mode=mode,
            effective=self._effective(agent, in_role, mode, None if requested is None else frozenset(requested)),
            session=session or Session(),
            meta=replace(meta, agent_role=in_role),
        )

    def _effective_set(self, agent: str, role: str, mode: str, requested: frozenset[str] | None) -> EffectiveSet:
        spec = self._catalog.section("agents")[agent]
        return effective_set(
            self._catalog.entries, spec, self._policies, name=agent, role=role, mode=mode, requested=requested
        )


def with_ids(meta: ToolCallMeta, new_id: Callable[[str], str]) -> ToolCallMeta:
    """Give a meta the ids of its run and its agent, where it lacks them."""
    return replace(meta, run_id=meta.run_id or new_id("run"), agent_id=meta.agent_id or new_id("agent"))
