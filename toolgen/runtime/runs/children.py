"""Children: runs of agents that a call starts and waits for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

from toolgen.contract.records import Ancestor, running_call
from toolgen.runtime.policy.effective import NEVER_FOR_CHILDREN, ToolsNotGranted

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.runs.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRun:
    """A run that a call started.

    `turn` makes the calls of one response of its model, `end` records the end of the run.
    """

    run: Run
    turn: Callable[[Sequence[ToolRequest]], Awaitable[list[ToolResult[Any]]]]
    end: Callable[[str], Awaitable[None]]


def tie(run: Run, parent: Run | None) -> Callable[[], None]:
    """Abort the run of a child when that of its parent is aborted, or when the returned function is called.

    What guards the calls of the parent guards those of the child.
    """
    if parent is not None:
        parent.add_child(run)
        run.progress.guard = parent.progress.guard
    return partial(_untie, run, parent)


def _untie(run: Run, parent: Run | None) -> None:
    if parent is not None:
        parent.progress.child_runs.remove(run)
    run.abort("the call that started the run has ended")


def started(start: Callable[[Iterable[str] | None], Run], requested: Collection[str] | None, parent: Run | None) -> Run:
    """Start the run of a child with the requested tools, by ident.

    Raises `ToolsNotGranted` for tools that it may not have, and for those that policies or roles hide from it and its
    parent: for these the error is the same as for a tool that does not exist. Tools that only the parent has are left
    out without an error, because the parent knows them. So are tools that no child can have, whose names are public.
    """
    if requested is None:
        return start(None)
    beyond: Sequence[str] = ()
    try:
        run = start(requested)
    except ToolsNotGranted as error:
        beyond = error.names
        run = start([ident for ident in requested if ident not in beyond])
    known = NEVER_FOR_CHILDREN if parent is None else {*NEVER_FOR_CHILDREN, *parent.effective.offered}
    refused = [ident for ident in requested if ident in beyond or (ident not in run.effective and ident not in known)]
    if refused:
        raise ToolsNotGranted(run.agent, refused)
    return run


def above(parent: Run, tool_call_id: str) -> tuple[Ancestor, ...]:
    """Return the ancestors of a run that a call of the parent starts."""
    ids = parent.meta
    own = Ancestor(agent=parent.agent, agent_id=ids.agent_id or "", run_id=ids.run_id or "", tool_call_id=tool_call_id)
    return (*ids.ancestors, own)


def child_id(meta: ToolCallMeta, number: int) -> str | None:
    """Return the id of a run that a call of an engine starts: the same when the call is made again; else None.

    It begins with the id of the run of the call, and a dot. `number` is another one for each run of the call.
    """
    if not meta.idempotency_key:
        return None
    key = f"{meta.idempotency_key}:{number}".encode(errors="replace")
    return f"{meta.run_id}.{sha256(key).hexdigest()[:16]}"


class Starts:
    """Starts runs for a call: `start` starts one, `take` takes a slot for one more. The first slot is already taken."""

    def __init__(
        self, start: Callable[[str, Iterable[str] | None, str | None], ChildRun], take: Callable[[], None]
    ) -> None:
        self._start = start
        self._take = take
        self._started = 0

    def __call__(self, agent: str, requested: Iterable[str] | None, mode: str | None) -> ChildRun:
        """Start a run of a compiled agent."""
        if self._started:
            self._take()
        self._started += 1
        return self._start(agent, requested, mode)


class _Calling(Protocol):
    """A running call."""

    starts: Starts | None


def start_child(
    meta: ToolCallMeta, agent: str, *, requested: Iterable[str] | None = None, mode: str | None = None
) -> ChildRun:
    """Start a run of a compiled agent for the call with that meta: in its session, user and mode, with new ids.

    `requested` are the idents that the dispatch requests; by default the agent has its configured tools, not those of
    its parent. An agent of role `main` runs as `sub` here. The record of the parent links to the run immediately. The
    run is aborted with that of its parent, and when the call ends. Raises `UnknownAgent`, `ToolsNotGranted`,
    `RunStopped` if the parent was aborted, and RuntimeError outside a call of a tool that is tagged `agent`.
    """
    call: _Calling | None = running_call(meta)
    if call is None or call.starts is None:
        raise RuntimeError("only a running call of a tool tagged `agent` can start runs")
    return call.starts(agent, requested, mode)
