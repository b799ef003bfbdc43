"""Runs and sessions: in whose name calls are made, what may be called, and what a person allowed so far."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import ToolCallMeta, running_call
from toolgen.runtime.base.errors import CatalogError, RunStopped, ToolNotFound, UnknownAgent
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.effective import ROLES, EffectiveSet, effective_set, named_by_ident
from toolgen.runtime.policy.scope import Scope

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Lock, Task
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.policy import Policies
    from toolgen.runtime.redact.secret_values import SecretValues

Grant: TypeAlias = tuple[str, Scope]
"""What a person allowed for a session: an ident, and the scope that it may touch."""


@dataclass(slots=True)
class Asking:
    """A grant that calls want: one of them asks, and the others wait. A question that timed out is not asked again."""

    lock: Lock
    calls: int = 0
    timed_out: bool = False


@dataclass(slots=True)
class Session:
    """What lasts as long as one sitting of a person, in memory only. `children` counts the agents that run now.

    `asking` are the grants that a person is just asked for, in each event loop.
    """

    grants: set[Grant] = field(default_factory=set[Grant])
    children: int = 0
    asking: dict[tuple[Grant, AbstractEventLoop], Asking] = field(
        default_factory=dict["tuple[Grant, AbstractEventLoop]", "Asking"]
    )

    @asynccontextmanager
    async def asking_for(self, grant: Grant) -> AsyncGenerator[Asking]:
        """Be the only call that asks for a grant, for as long as the context lasts."""
        from asyncio import Lock, get_running_loop  # slow to import, and many hosts ask nobody

        key = (grant, get_running_loop())
        asking = self.asking.setdefault(key, Asking(Lock()))
        asking.calls += 1
        try:
            async with asking.lock:
                yield asking
        finally:
            asking.calls -= 1
            if not asking.calls:
                del self.asking[key]


@dataclass(slots=True)
class Progress:
    """How far a run is: the agents it has started, the calls that run, and whether somebody stopped it, and why.

    `children` counts the agents, `child_runs` are the runs of those that have not ended. `denied` has the calls of
    turns that run, by id, and whether permission denied them.
    """

    children: int = 0
    child_runs: list[Run] = field(default_factory=list["Run"])
    running: set[Task[Any]] = field(default_factory=set["Task[Any]"])
    denied: dict[str, bool] = field(default_factory=dict[str, bool])
    is_aborted: bool = False
    abort_reason: str = ""


class Entered:
    """A call that an abort of its run reaches, until it leaves.

    `cancelling` is how often its task was cancelled before.
    """

    __slots__ = ("_cancelling", "_run", "_task")

    def __init__(self, run: Run, task: Task[Any], cancelling: int) -> None:
        self._run = run
        self._task = task
        self._cancelling = cancelling

    def uncancel_abort(self) -> bool:
        """Whether the abort, and nothing else, cancelled the task; then it is not cancelled any more."""
        if not self._run.progress.is_aborted or self._task.cancelling() != self._cancelling + 1:
            return False
        self._task.uncancel()
        return True

    @contextmanager
    def suppress_abort(self) -> Generator[None]:
        """While what is done is being told: an abort that comes now changes nothing of it."""
        from asyncio import CancelledError  # slow to import, and only calls of runs need it

        try:
            yield
        except CancelledError:
            if not self.uncancel_abort():
                raise

    def leave(self) -> None:
        """End the reach of an abort: the call is over."""
        self._run.progress.running.discard(self._task)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One run of an agent: what it may call, and what every call of it carries. `Runtime.start_run` makes them.

    No run equals another, whatever both of them hold.
    `secrets` are those of the call that started it: they may come back in any call of the run.
    `on_progress` is called with the id of a call and what it reports of its progress, without secrets; in the thread
    that reports it.
    """

    agent: str
    role: str
    mode: str
    effective: EffectiveSet
    session: Session
    meta: ToolCallMeta = field(default_factory=ToolCallMeta)
    progress: Progress = field(default_factory=Progress)
    secrets: SecretValues | None = None
    on_progress: Callable[[str, Mapping[str, Any]], None] | None = None

    def abort(self, reason: str = "") -> None:
        """Stop what runs and skip what is left of this turn, and of every later one. Call it in the run's own loop.

        The runs of agents that it started are aborted with it.
        """
        progress = self.progress
        if not progress.is_aborted:
            progress.is_aborted, progress.abort_reason = True, reason
            for child in progress.child_runs:  # first: what a call does about its cancellation must not reach them
                child.abort(reason)
            for call in progress.running:
                call.cancel()

    def enter(self) -> Entered | None:
        """Let `abort` reach the current task, which makes a call; None where a call around this one did so already."""
        from asyncio import current_task  # slow to import, and calls outside of runs need none of it

        task = current_task()
        if task is None or task in self.progress.running:
            return None
        self.progress.running.add(task)
        return Entered(self, task, task.cancelling())

    def __contains__(self, ident: Any) -> bool:
        return ident in self.effective


class Agents:
    """The compiled agents of a catalog, under the policies in force.

    What an agent may call is worked out once for each role, mode and request: with ten thousand tools that takes 50 ms.
    """

    def __init__(self, catalog: Catalog, policies: Policies, missing: frozenset[str] = frozenset()) -> None:
        """Take the catalog, the policies, and the idents of the tools that nothing runs."""
        self._catalog = catalog
        self._policies = policies
        self._missing = missing
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
        """Make a run; `requested` are names of tools in any spelling. One that a call started is never of role main.

        Without an agent it is that of one that uses all tools.

        Raises `UnknownAgent`, `ToolsNotGranted`, ValueError for an unknown role, `CatalogError` for a mode that no
        policy in force has, and TypeError where one text is requested.
        """
        agents = self._catalog.section("agents")
        if agent and agent not in agents:
            raise UnknownAgent(agent, nearest(agent, agents))
        if role and role not in ROLES:
            raise ValueError(f"there is no role {role!r}{_meant(role, ROLES)}")
        if mode and mode not in self._policies.modes:
            raise CatalogError(f"no policy in force has a mode {mode!r}{_meant(mode, self._policies.modes)}")
        in_role: str = role or (agents[agent]["role"] if agent else "main")
        if in_role == "main" and meta.parent_tool_call_id:
            in_role = "sub"
        return Run(
            agent=agent,
            role=in_role,
            mode=mode,
            effective=self._effective(agent, in_role, mode, None if requested is None else self.idents(requested)),
            session=session or Session(),
            meta=replace(meta, agent_role=in_role),
        )

    def idents(self, names: Iterable[str]) -> frozenset[str]:
        """Give the idents of tools by names in any spelling. Raises TypeError where it is one text."""
        if isinstance(names, str):
            raise TypeError(f"requested is {names!r}; it must be a list of names, such as [{names!r}]")
        return frozenset(self._catalog.names.ident(name) or name for name in names)

    def _effective_set(self, agent: str, role: str, mode: str, requested: frozenset[str] | None) -> EffectiveSet:
        spec = named_by_ident(self._catalog.section("agents")[agent], self._catalog.names) if agent else {"use": ["*"]}
        return effective_set(
            self._catalog.entries,
            spec,
            self._policies,
            name=agent,
            role=role,
            mode=mode,
            requested=requested,
            missing=self._missing,
        )


def check_may_call(run: Run, ident: str) -> None:
    """Raise `ToolNotFound` for a tool that a run may not call, and `RunStopped` once it was aborted."""
    if run.progress.is_aborted:
        raise RunStopped(run.progress.abort_reason)
    if ident not in run.effective:
        raise ToolNotFound(ident, nearest(ident, run.effective.tools))


def _meant(name: str, known: Iterable[str]) -> str:
    names = nearest(name, known, count=1)
    return f"; did you mean {names[0]!r}?" if names else f"; there are {', '.join(sorted(known)) or 'none'}"


def run_of(meta: ToolCallMeta) -> Run | None:
    """Give the run that a call belongs to, by the meta its handler has; None where it is in none, or over."""
    call = running_call(meta)
    return None if call is None else call.run


def with_ids(meta: ToolCallMeta, new_id: Callable[[str], str]) -> ToolCallMeta:
    """Give a meta the ids of its run and its agent, where it lacks them."""
    return replace(meta, run_id=meta.run_id or new_id("run"), agent_id=meta.agent_id or new_id("agent"))
