"""Agents that calls start, under an engine: each is a run of its own, which any worker executes."""

from __future__ import annotations

from asyncio import CancelledError, ensure_future, shield, wait
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from toolgen.agents.planner import RunOutcome
from toolgen.contract.records import FailureKind
from toolgen.engine.protocol import RunCancelled
from toolgen.engine.requests import DEFAULT_PLANNER, RunRequest
from toolgen.runtime.base.errors import CallFailed, RunStopped
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from asyncio import Future
    from contextlib import AbstractContextManager

    from toolgen.agents.planner import Message
    from toolgen.agents.runs import AgentRun, RunAgent
    from toolgen.engine.protocol import Engine
    from toolgen.engine.requests import RunEnd
    from toolgen.runtime.redact.secret_values import SecretValues


class Caller(Protocol):
    """What an engine knows of a call that waits for a run."""

    def waiting(self) -> AbstractContextManager[None]:
        """Return the context in which the call waits."""
        ...

    async def cancel(self, run_id: str, /) -> None:
        """Cancel the run, because the call has ended. Nothing is done if the call is made again elsewhere."""
        ...

    async def is_cancelled(self, run_id: str, /) -> bool:
        """Whether the run was cancelled alone, for the call that waits for it; False if it has been resumed.

        Raises CancelledError if the call is not to end: its own run was cancelled as well, or is executed elsewhere.
        """
        ...

    @property
    def fencing_token(self) -> int | None:
        """A number that is greater than those of all earlier executions of the run."""
        ...

    def check(self) -> None:
        """Raise `asyncio.CancelledError` if the call must not begin: another execution may have its run."""
        ...


caller: Final[ContextVar[Caller | None]] = ContextVar("toolgen_caller", default=None)
"""The call that is made, if its engine has more to say about waiting and cancelling than to do so."""


def run_children(engine: Engine, planner: str = DEFAULT_PLANNER) -> RunAgent:
    """Return the planner loop of agents that calls start: it starts them as runs of the engine, and waits for them.

    A call that is made again after a crash waits for the same run. Secrets of the call are redacted in the messages
    of the run before these are stored, so it never has them, and what has to use one is a tool that injects it.
    """

    async def execute(child: AgentRun) -> RunOutcome:
        run, meta = child.run, child.run.meta
        request = RunRequest(
            run_id=str(meta.run_id),
            agent=run.agent,
            messages=tuple(_without_secrets(message, run.secrets) for message in child.messages),
            planner=planner,
            user=meta.user,
            session_id=meta.session_id,
            mode=run.mode,
            role=run.role,
            agent_id=meta.agent_id,
            parent_agent_id=meta.parent_agent_id,
            parent_run_id=meta.parent_run_id,
            parent_tool_call_id=meta.parent_tool_call_id,
            ancestors=meta.ancestors,
            requested=tuple(run.effective.tools),
            attributes=meta.attributes,
        )
        call = caller.get()
        starting = ensure_future(engine.start(request))  # it goes on when this is cancelled
        try:
            await shield(starting)
            with nullcontext() if call is None else call.waiting():
                return _outcome(run.agent, await _end_of(engine, call, request.run_id))
        except (CancelledError, StoreError):  # the call ends, and nobody waits for the run any more
            await shield(_cancel(engine, call, starting, request.run_id))
            raise

    return execute


async def _end_of(engine: Engine, call: Caller | None, run_id: str) -> RunEnd:
    """Wait for the end of a run. Raises `RunStopped` for one that was cancelled, and the call that waits was not."""
    while True:
        try:
            return await engine.result(run_id)
        except RunCancelled as error:
            if call is None or await call.is_cancelled(run_id):
                raise RunStopped(str(error)) from error


async def _cancel(engine: Engine, call: Caller | None, starting: Future[str], run_id: str) -> None:
    """Cancel a run for a call that was cancelled, also while it started the run."""
    await wait([starting])
    if starting.exception() is None:
        await (engine.cancel(run_id) if call is None else call.cancel(run_id))


def _without_secrets(message: Message, secrets: SecretValues | None) -> Message:
    return message if secrets is None else replace(message, content=secrets.hide(message.content))


def _outcome(agent: str, end: RunEnd) -> RunOutcome:
    """Return the answer of a run. Raises `CallFailed` for a run without one."""
    if end.stopped == "completed":
        return RunOutcome(value=end.value, telemetry=end.telemetry)
    if end.stopped == "aborted":
        raise RunStopped(end.reason)
    reason = end.reason or f"it had no answer after {end.turns} turns"
    raise CallFailed(FailureKind.UNAVAILABLE, end.stopped, f"{agent} ended without an answer: {reason}")
