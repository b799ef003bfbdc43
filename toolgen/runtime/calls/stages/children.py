"""Children: gives tools the means to start agents, and limits how many may be started and run at a time.

A call takes a slot for one agent before it runs, and one more for each further agent that it starts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Before, Call, Host, Tool
    from toolgen.runtime.runs.run import RunningAgents


def bind(tool: Tool, host: Host) -> Before | None:
    """Return the stage; None for a tool that starts no agents."""
    if "agent" not in tool.entry.tags:
        return None
    from toolgen.runtime.runs.children import Starts  # few tools start agents

    per_run, per_session = host.policies.children_per_run, host.policies.children_per_session

    def children(call: Call) -> None:
        call.starts = Starts(partial(host.start_child, call), partial(take, call))
        take(call)

    def take(call: Call) -> None:
        if call.run is None:
            return
        agents, progress = call.run.session_of(call.meta).agents, call.run.progress
        if progress.children >= per_run:
            raise _exceeded(f"this run has started {per_run} agents, the maximum", "go on without it")
        if agents.count >= per_session:
            raise _exceeded(f"{per_session} agents are already running, the maximum", "wait until one ends")
        progress.children += 1
        if call.meta.tool_call_id in progress.started:
            progress.started[call.meta.tool_call_id] += 1
        agents.count += 1
        call.at_end = (*call.at_end, partial(_leave, agents))

    return children


def _leave(agents: RunningAgents) -> None:
    agents.count -= 1


def _exceeded(message: str, hint: str) -> CallFailed:
    return CallFailed(FailureKind.UNAVAILABLE, "child_agent_limit_exceeded", message, hint)
