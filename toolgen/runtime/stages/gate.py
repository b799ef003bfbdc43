"""The eval gate: asked about tools that want it, after permission. Without an answer the call runs."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING

from toolgen.runtime.errors import GateRefused
from toolgen.runtime.gate import GateDecision, GateRequest
from toolgen.runtime.log import warn

if TYPE_CHECKING:
    from toolgen.runtime.call import Call, Host, Stage, Tool
    from toolgen.runtime.gate import Gate


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None where the tool wants no gate, or the host has none."""
    name, gate = tool.definition.name, host.gate
    if gate is None or not tool.definition.metadata.get("gate"):
        return None

    async def ask(call: Call) -> None:
        request = GateRequest(tool=tool.definition, arguments=tool.arguments(call.given), meta=call.meta)
        try:
            decision = await _answer(gate, request, host.gate_timeout)
            refusal = "" if decision.approved else decision.reason or "the eval gate refused"
        except TimeoutError:
            warn("the eval gate did not answer about %s within %g s; the call runs", name, host.gate_timeout)
        except Exception as error:  # noqa: BLE001  # it is the host's code, and fails open
            warn("the eval gate failed on %s; the call runs", name, error=error)
        else:
            if refusal:
                raise GateRefused(name, refusal)

    return ask


async def _answer(gate: Gate, request: GateRequest, timeout: float) -> GateDecision:  # noqa: ASYNC109  # a gate that ignores it
    import asyncio  # slow to import, and few hosts have a gate

    answer = gate(request)
    if not isawaitable(answer):
        return answer
    asking = asyncio.ensure_future(answer)
    try:
        done, _ = await asyncio.wait([asking], timeout=timeout)
    finally:
        asking.cancel()  # no waiting for one that will not stop
    if not done:
        raise TimeoutError
    return asking.result()
