"""Children: runs of agents that a call of a tool starts, and that its result waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.call import Call, StartChild
    from toolgen.runtime.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A run that a call started. `turn` makes the calls of one answer of its model, `end` says why the run is over."""

    run: Run
    turn: Callable[[Sequence[ToolRequest]], Awaitable[list[ToolResult[Any]]]]
    end: Callable[[str], Awaitable[None]]


class Starts:
    """What a call may start: `start` starts a run, and `take` takes a place for one more. The first place is taken."""

    def __init__(self, call: Call, start: StartChild, take: Callable[[], None]) -> None:
        self._call = call
        self._start = start
        self._take = take
        self._started = 0

    def __call__(self, agent: str, requested: Iterable[str] | None, mode: str | None) -> Child:
        """Start a run of a compiled agent."""
        if self._started:
            self._take()
        self._started += 1
        return self._start(self._call, agent, requested, mode)


def start_child(
    meta: ToolCallMeta, agent: str, *, requested: Iterable[str] | None = None, mode: str | None = None
) -> Child:
    """Start a run of a compiled agent for the call with that meta: in its session, user and mode, with its own ids.

    `requested` are the idents that the dispatch asks for; without them the agent has its own set, and not that of its
    parent. An agent of role `main` runs as `sub` here. The record of the parent links to the run at once. Raises
    `UnknownAgent`, `OutsideBase`, and RuntimeError outside a call of a tool that is tagged `agent`.
    """
    call: Call | None = vars(meta).get("_call")
    if call is None or call.starts is None:
        raise RuntimeError("only a call of a tool tagged `agent` starts runs, while it runs in a pipeline")
    return call.starts(agent, requested, mode)
