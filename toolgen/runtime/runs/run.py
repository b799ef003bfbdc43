"""Runs and sessions: the context of calls, which tools may be called, and the grants so far."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOTHING, ToolCallMeta, running_call
from toolgen.runtime.base.errors import CatalogError, RunEnded, RunStopped, ToolNotFound, UnknownAgent
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.effective import ROLES, EffectiveSet, effective_set
from toolgen.runtime.policy.grants import Grant, Grants, MemoryGrants
from toolgen.runtime.policy.hosts import with_hosts

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Lock, Task

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.policy import Policies
    from toolgen.runtime.redact.secret_values import SecretValues
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.telemetry import Telemetry


MOST_OTHERS: Final = 10_000
"""How many sessions one has for calls of other users: these may be clients, which can call themselves anything."""


@dataclass(slots=True)
class Asking:
    """A grant that calls request: one of them asks, and the others wait. A request that timed out is not repeated."""

    lock: Lock
    calls: int = 0
    timed_out: bool = False


class Turn:
    """The turn of one call to request a grant, which others wait for."""

    __slots__ = ("_is_over", "_lock")

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self._is_over = False

    def end(self) -> None:
        """Let the next call request the grant; this one may still be answered. Call it in the run's event loop."""
        if not self._is_over:
            self._is_over = True
            self._lock.release()


current_turn: ContextVar[Turn | None] = ContextVar("toolgen_turn", default=None)
"""The turn that a permission callback is called in; None where no other call waits for its answer.

A callback whose question may never be answered, such as one that a client has taken away, ends the turn.
"""


@dataclass(slots=True, weakref_slot=True)
class RunningAgents:
    """How many agents run now that calls of a session have started, directly or through other agents."""

    count: int = 0


@dataclass(slots=True)
class Session:
    """The grants of one user or conversation, and the number of its running agents.

    Grants are in memory by default; those of `SqliteGrants` and `PostgresGrants` hold in other processes too.
    `asking` are the grants that are being requested, in each event loop. `others` are the sessions of calls that have
    another user or session than the run that they are in, by both.
    """

    grants: Grants = field(default_factory=MemoryGrants)
    agents: RunningAgents = field(default_factory=RunningAgents)
    asking: dict[tuple[Grant, AbstractEventLoop], Asking] = field(
        default_factory=dict["tuple[Grant, AbstractEventLoop]", "Asking"]
    )
    others: dict[tuple[str | None, str | None], Session] = field(
        default_factory=dict["tuple[str | None, str | None]", "Session"], init=False, repr=False
    )

    def of(self, user: str | None, session_id: str | None) -> Session:
        """Return the session of somebody else in the same run, with grants in memory. Of too many, the first end."""
        key = (user, session_id)
        if key not in self.others:
            if len(self.others) >= MOST_OTHERS:
                del self.others[next(iter(self.others))]
            self.others[key] = Session()
        return self.others[key]

    @asynccontextmanager
    async def asking_for(self, grant: Grant) -> AsyncGenerator[Asking]:
        """Be the only call that requests a grant within the context, or until its turn is ended."""
        from asyncio import Lock, get_running_loop  # slow to import, and many hosts never ask

        key = (grant, get_running_loop())
        asking = self.asking.setdefault(key, Asking(Lock()))
        asking.calls += 1
        try:
            await asking.lock.acquire()
            turn = Turn(asking.lock)
            outer = current_turn.set(turn)
            try:
                yield asking
            finally:
                current_turn.reset(outer)
                turn.end()
        finally:
            asking.calls -= 1
            if not asking.calls:
                del self.asking[key]


@dataclass(slots=True)
class RunProgress:
    """The state of a run: the agents it has started, its running calls, and whether and why it was aborted.

    `children` counts the agents, `child_runs` are the runs of those still running. `denied` has the running calls of
    turns, by id, and whether permission denied them; `started` has those of engines, and how many agents they started.
    `is_over` is set once no more calls are made: the run was aborted, or has ended (`is_ended`), of which
    `has_end_on_record` is for the record.
    `guard`, if an engine sets one, is called right before each tool is executed, and raises `asyncio.CancelledError` if
    the run is not this process's any more.
    """

    children: int = 0
    child_runs: list[Run] = field(default_factory=list["Run"])
    running: set[Task[Any]] = field(default_factory=set["Task[Any]"])
    denied: dict[str, bool] = field(default_factory=dict[str, bool])
    started: dict[str, int] = field(default_factory=dict[str, int])
    is_over: bool = False
    is_ended: bool = False
    has_end_on_record: bool = False
    is_aborted: bool = False
    abort_reason: str = ""
    guard: Callable[[], None] | None = None


class Entered:
    """A call that an abort of its run cancels, until it leaves.

    `cancelling` is how often its task was cancelled before.
    """

    __slots__ = ("_cancelling", "_run", "_task")

    def __init__(self, run: Run, task: Task[Any], cancelling: int) -> None:
        self._run = run
        self._task = task
        self._cancelling = cancelling

    def uncancel_abort(self) -> bool:
        """Undo the cancellation of the task if only the abort cancelled it; return whether it did."""
        if not self._run.progress.is_aborted or self._task.cancelling() != self._cancelling + 1:
            return False
        self._task.uncancel()
        return True

    @contextmanager
    def suppress_abort(self) -> Generator[None]:
        """Ignore an abort within the context, while the end of the call is processed."""
        from asyncio import CancelledError  # slow to import, and only calls of runs need it

        try:
            yield
        except CancelledError:
            if not self.uncancel_abort():
                raise

    def leave(self) -> None:
        """End the effect of an abort: the call has ended."""
        self._run.progress.running.discard(self._task)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One run of an agent: its effective set, and the meta of its calls. `Runtime.start_run` creates runs.

    Runs are compared by identity.
    `secrets` are those of the call that started it: they may occur in any call of the run.
    `on_progress` is called with the id of a call and what it reports of its progress, without secrets, in the thread
    that reports it, and `on_secrets` with the id of a call that ends and its secrets, for who shows its result to
    others than its caller. `telemetry` is that of its runtime.
    """

    agent: str
    role: str
    mode: str
    effective: EffectiveSet
    session: Session
    meta: ToolCallMeta = field(default_factory=ToolCallMeta)
    progress: RunProgress = field(default_factory=RunProgress)
    secrets: SecretValues | None = None
    on_progress: Callable[[str, Mapping[str, Any]], None] | None = None
    on_secrets: Callable[[str, Secrets], None] | None = None
    telemetry: Telemetry | None = None

    def abort(self, reason: str = "") -> None:
        """Cancel running calls, and skip the rest of this turn and of every later one. Call it in the run's event loop.

        The runs of agents that it started are aborted with it.
        """
        progress = self.progress
        if not progress.is_aborted:
            progress.is_over = progress.is_aborted = True
            progress.abort_reason = reason
            for child in progress.child_runs:  # first, so that calls that handle their cancellation cannot affect them
                child.abort(reason)
            for call in progress.running:
                call.cancel()

    def end(self) -> None:
        """Make no more calls. Runs of agents that it started, and that still go on, are aborted."""
        if self.progress.is_ended:
            return
        self.progress.is_over = self.progress.is_ended = True
        for child in self.progress.child_runs:
            child.abort(_PARENT_ENDED)

    def add_child(self, child: Run) -> None:
        """Abort a run with this one, which started it: now, if this one is over already."""
        self.progress.child_runs.append(child)
        if self.progress.is_over:
            child.abort(self.progress.abort_reason if self.progress.is_aborted else _PARENT_ENDED)

    def enter(self) -> Entered | None:
        """Let `abort` cancel the current task, which makes a call; None if an outer call already did so."""
        from asyncio import current_task  # slow to import, and calls outside of runs need none of it

        task = current_task()
        if task is None or task in self.progress.running:
            return None
        self.progress.running.add(task)
        return Entered(self, task, task.cancelling())

    def session_of(self, meta: ToolCallMeta) -> Session:
        """Return the session of a call: that of the run, unless the call is of another user or session."""
        whose = (meta.user or self.meta.user, meta.session_id or self.meta.session_id)
        return self.session if whose == (self.meta.user, self.meta.session_id) else self.session.of(*whose)

    def __contains__(self, ident: Any) -> bool:
        return ident in self.effective


class Agents:
    """The compiled agents of a catalog, under the active policies.

    Effective sets are computed once per role, mode and request: with ten thousand tools that takes 50 ms.
    """

    def __init__(
        self,
        catalog: Catalog,
        policies: Policies,
        missing: frozenset[str] = frozenset(),
        hosts: Mapping[str, tuple[str, ...]] = NOTHING,
    ) -> None:
        """Take the catalog, the policies, the idents of the tools without an executor, and the hosts of calls."""
        self._catalog = catalog
        self._hosts = hosts
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
        """Create a run; `requested` are any names of tools. A run that a call started never has the role `main`.

        Without an agent it may use all tools.

        Raises `UnknownAgent`, `ToolsNotGranted`, ValueError for an unknown role, `CatalogError` for a mode that no
        active policy has, and TypeError if `requested` is a str.
        """
        agents = self._catalog.section("agents")
        if agent and agent not in agents:
            raise UnknownAgent(agent, nearest(agent, agents))
        if role and role not in ROLES:
            raise ValueError(f"there is no role {role!r}{_meant(role, ROLES)}")
        if mode and mode not in self._policies.modes:
            raise CatalogError(f"no active policy has a mode {mode!r}{_meant(mode, self._policies.modes)}")
        in_role: str = role or (agents[agent]["role"] if agent else "main")
        if in_role == "main" and meta.parent_tool_call_id:
            in_role = "sub"
        return Run(
            agent=agent,
            role=in_role,
            mode=mode,
            effective=self._effective(agent, in_role, mode, None if requested is None else self.idents(requested)),
            session=Session() if session is None else session,
            meta=replace(meta, agent_role=in_role),
        )

    @property
    def offered(self) -> tuple[str, ...]:
        """What a run without an agent offers: the tools that calls outside of runs are told of."""
        return self._effective("", "main", "", None).offered

    def idents(self, names: Iterable[str]) -> frozenset[str]:
        """Return the idents of tools by any of their names. Raises TypeError for a str."""
        if isinstance(names, str):
            raise TypeError(f"requested is {names!r}; it must be a list of names, such as [{names!r}]")
        return frozenset(self._catalog.names.ident(name) or name for name in names)

    def _effective_set(self, agent: str, role: str, mode: str, requested: frozenset[str] | None) -> EffectiveSet:
        spec = self._catalog.section("agents")[agent] if agent else {"use": ["*"]}
        entries = self._catalog.entries
        return effective_set(
            {**entries, **{ident: with_hosts(entries[ident], hosts) for ident, hosts in self._hosts.items()}},
            spec,
            self._policies,
            self._catalog.names if agent else None,
            name=agent,
            role=role,
            mode=mode,
            requested=requested,
            missing=self._missing,
        )


_PARENT_ENDED: Final = "the run that started it has ended"
_ENDED: Final = "the run has ended; start another one, with its session if its grants go on"


def check_may_call(run: Run, ident: str) -> None:
    """Raise `ToolNotFound` for a tool that a run may not call, and once it is over `RunStopped` or `RunEnded`."""
    if run.progress.is_over:
        raise why_over(run)
    if ident not in run.effective:
        raise ToolNotFound(ident, nearest(ident, run.effective.offered))


def why_over(run: Run) -> RunStopped | RunEnded:
    """Return why a run that is over makes no more calls."""
    return RunStopped(run.progress.abort_reason) if run.progress.is_aborted else RunEnded(_ENDED)


def check_not_ended(run: Run) -> None:
    """Raise `RunEnded` for a run that has ended, for a loop that would ask a model in vain."""
    if run.progress.is_ended:
        raise RunEnded(_ENDED)


def _meant(name: str, known: Iterable[str]) -> str:
    names = nearest(name, known, count=1)
    return f"; did you mean {names[0]!r}?" if names else f"; there are {', '.join(sorted(known)) or 'none'}"


def run_of(meta: ToolCallMeta) -> Run | None:
    """Return the run of a call, by the meta of its handler; None if it has no run or has ended."""
    call = running_call(meta)
    return None if call is None else call.run


def check_guard(meta: ToolCallMeta) -> None:
    """Call the guard of the run of a call, if there is one, for an executor that has waited: see `RunProgress`."""
    run = run_of(meta)
    if run is not None and run.progress.guard is not None:
        run.progress.guard()


def with_ids(meta: ToolCallMeta, new_id: Callable[[str], str]) -> ToolCallMeta:
    """Return a meta with ids of its run and its agent, generated if missing."""
    return replace(meta, run_id=meta.run_id or new_id("run"), agent_id=meta.agent_id or new_id("agent"))
