"""What runs one call: a handler of the host's process, or an executor that takes a request with JSON."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from inspect import iscoroutinefunction
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolRequest

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])

Execute: TypeAlias = Callable[[Any, ToolCallMeta], Any]
"""Runs one call; gives a value, a `ToolResult`, or something to await for either."""

_BLOCKING: Final = "__toolgen_blocking__"


class Form(Enum):
    """What an executor takes: typed args, canonical JSON, or the JSON as it came."""

    TYPED = "typed"
    CANONICAL = "canonical"
    RAW = "raw"


def blocking(handler: HandlerT) -> HandlerT:
    """Declare that a sync handler blocks: it runs in a thread, and the event loop goes on.

    Any other sync handler runs in the loop, which is some 200 µs faster. Raises TypeError for an async one.
    """
    if iscoroutinefunction(handler):
        raise TypeError(f"{handler.__qualname__} is async, so it cannot be declared blocking")
    setattr(handler, _BLOCKING, True)
    return handler


def run_handler(handler: Execute) -> Execute:
    """Make what runs a call with a handler of args and meta: the handler itself, unless it blocks."""
    if not getattr(handler, _BLOCKING, False):
        return handler

    async def in_thread(args: Any, meta: ToolCallMeta) -> Any:
        import asyncio  # slow to import, and only this needs it

        return await asyncio.to_thread(handler, args, meta)

    return in_thread


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
