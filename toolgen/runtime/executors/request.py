"""Executors of the host's own, and adapters: they take a request with JSON, and are told the ident."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from toolgen.contract.records import ToolRequest

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.call import Execute


class Executes(Protocol):
    """What `ToolExecutor` and `ToolAdapter` have in common."""

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        """Run one call."""
        ...


def run_request(executor: Executes, ident: str) -> Execute:
    """Make what runs a call by a request, with the JSON in the form that the executor takes."""

    def run(payload: bytes | str, meta: ToolCallMeta) -> Any:
        return executor.execute(ToolRequest(name=ident, payload=payload, tool_call_id=meta.tool_call_id), meta)

    return run
