"""The eval gate: asked for tools with a gate, after permission. Without an answer the call runs."""

from __future__ import annotations

from collections.abc import Awaitable
from inspect import isawaitable
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.errors import GateRefused
from toolgen.runtime.calls.call import GateDecision
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Before, Call, Host, Tool


_REFUSED: Final = "the eval gate refused"


def bind(tool: Tool, host: Host) -> Before | None:
    """Return the stage; None if the tool or the host has no gate."""
    name, gate = tool.definition.name, host.gate
    if gate is None or not tool.definition.settings.gate:
        return None

    def ask(call: Call) -> Awaitable[None] | None:
        try:
            answer = gate(call.checked)
            if not isinstance(answer, GateDecision) and isawaitable(answer):
                return later(call, answer)
            approved = _checked(answer).approved
        except Exception as error:  # noqa: BLE001  # code of the host, fails open
            failed(call, error)
        else:
            if not approved:
                raise GateRefused(name, answer.reason or _REFUSED)
        return None

    async def later(call: Call, waiting: Awaitable[GateDecision]) -> None:
        from toolgen.runtime.base.answers import answer_within  # asyncio is slow to import, and few hosts have a gate

        try:
            decision = await answer_within(host.gate_timeout, waiting)
            approved = _checked(decision).approved
        except TimeoutError:
            call.decision = "no answer"
            warn("the eval gate did not answer for %s within %g s; the call runs", name, host.gate_timeout)
        except Exception as error:  # noqa: BLE001  # code of the host, fails open
            failed(call, error)
        else:
            if not approved:
                raise GateRefused(name, decision.reason or _REFUSED)

    def failed(call: Call, error: Exception) -> None:
        call.decision = "failed"
        warn("the eval gate failed for %s; the call runs", name, error=error, secrets=call.secrets)

    return ask


def _checked(answer: object) -> GateDecision:
    """Return the answer of a gate. Raises TypeError if it is not one."""
    if isinstance(answer, GateDecision):
        return answer
    raise TypeError(f"the gate returned {type(answer).__name__} instead of a GateDecision")
