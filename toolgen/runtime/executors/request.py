"""Executors of the host's own, and adapters: they take a request with JSON and are told the ident."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from toolgen.contract.records import ToolRequest

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.call import Call, Run


class Executes(Protocol):
    """What `ToolExecutor` and `ToolAdapter` have in common."""

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        """Run one call."""
        ...


def run_request(executor: Executes, ident: str) -> Run:
    """Make what runs a call by a request; the decode stage has put the JSON there in the form the executor takes."""

    def run(call: Call) -> Any:
        request = ToolRequest(name=ident, payload=call.payload or b"", tool_call_id=call.tool_call_id)
        return executor.execute(request, call.meta)

    return run
