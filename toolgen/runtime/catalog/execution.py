"""Execution of one call: by a handler in the host's process, or by an executor that takes a request with JSON."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime.base.effects import ThreadCall

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
ResultT = TypeVar("ResultT")

Execute: TypeAlias = Callable[[Any, ToolCallMeta], Any]
"""Runs one call; returns a value, a `ToolResult`, or an awaitable of either."""

_BLOCKING: Final = "__toolgen_blocking__"
_GUARDED: Final = "__toolgen_guarded__"


class Form(Enum):
    """The form of args that an executor takes: typed args, canonical JSON, or the JSON as received."""

    TYPED = "typed"
    CANONICAL = "canonical"
    RAW = "raw"


def blocking(handler: HandlerT) -> HandlerT:
    """Mark a sync handler as blocking: it runs in a thread, so the event loop is not blocked.

    Other sync handlers run in the event loop, which is about 200 µs faster. Raises TypeError for an async handler.
    """
    if iscoroutinefunction(handler):
        raise TypeError(f"{handler.__qualname__} is async, so it cannot be declared blocking")
    setattr(handler, _BLOCKING, True)
    return handler


def guarded(handler: HandlerT) -> HandlerT:
    """Mark a sync handler as blocking, and as one that calls `begin_effect` right before each of its effects.

    So a call that ends early has no effect, or its error says that it may have had one.
    """
    setattr(handler, _GUARDED, True)
    return blocking(handler)


def keeps_to_policies(handlers: object) -> bool:
    """Return whether handlers keep to policies, such as those of `code`: registered by their `registration()`."""
    return hasattr(handlers, "under") and hasattr(handlers, "registration")


def run_handler(handler: Execute) -> Execute:
    """Return a function that runs a call with a handler of args and meta: the handler itself, unless it blocks."""
    return in_thread(handler) if getattr(handler, _BLOCKING, False) else handler


def in_thread(handler: Execute) -> Execute:
    """Return a function that runs a sync handler in a thread, with the context variables of the call.

    A coroutine that it returns is awaited in the event loop. If the call is cancelled, the handler goes on, and the
    exception has its `Effect` up to then.
    """
    is_guarded = getattr(handler, _GUARDED, False)

    async def run(args: Any, meta: ToolCallMeta) -> Any:
        result: Any = await run_in_thread(partial(handler, args, meta), is_guarded=is_guarded)
        return await result if iscoroutine(result) else result

    return run


async def run_in_thread(work: Callable[[], ResultT], *, is_guarded: bool) -> ResultT:
    """Run a part of a call in a thread, which is told if the call ends before: see `effects`."""
    import asyncio  # slow to import, and only needed here

    call = ThreadCall(is_guarded=is_guarded)
    try:
        return await asyncio.to_thread(call.run, work)
    except asyncio.CancelledError as error:
        raise asyncio.CancelledError(call.end()) from error


class Executes(Protocol):
    """What `ToolExecutor` and `ToolAdapter` have in common."""

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        """Run one call."""
        ...


def run_request(executor: Executes, ident: str) -> Execute:
    """Return a function that runs a call by a request, with JSON in the form that the executor takes."""

    def run(payload: bytes | str, meta: ToolCallMeta) -> Any:
        return executor.execute(ToolRequest(name=ident, payload=payload, tool_call_id=meta.tool_call_id), meta)

    return run
