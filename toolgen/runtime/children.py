"""Children: runs of agents that a call of a tool starts, and that its result waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.run import Run

STARTER: Final = "_start_child"
"""Where the meta of a call holds what starts runs. It is no field: it is of no use outside of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A run that a call started. `turn` makes the calls of one answer of its model, `end` says why the run is over."""

    run: Run
    turn: Callable[[Sequence[ToolRequest]], Awaitable[list[ToolResult[Any]]]]
    end: Callable[[str], Awaitable[None]]


class Starter(Protocol):
    """Starts the child runs of one call."""

    def __call__(self, agent: str, requested: Iterable[str] | None, mode: str | None) -> Child:
        """Start a run of a compiled agent."""
        ...


def start_child(
    meta: ToolCallMeta, agent: str, *, requested: Iterable[str] | None = None, mode: str | None = None
) -> Child:
    """Start a run of a compiled agent for the call with that meta: in its session, user and mode, with its own ids.

    `requested` are the idents that the dispatch asks for; without them the agent has its own set, and not that of its
    parent. The record of the parent links to the run at once. Raises `UnknownAgent`, `OutsideBase`, and RuntimeError
    outside a call of a tool that is tagged `agent`.
    """
    start: Starter | None = vars(meta).get(STARTER)
    if start is None:
        raise RuntimeError("only a call of a tool tagged `agent` starts runs, while it runs in a pipeline")
    return start(agent, requested, mode)
