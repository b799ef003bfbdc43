"""Bindings: handlers of tools built from the methods of a service and the transforms of args and results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar

from toolgen.contract.signatures import call_problem

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta

PayloadT = TypeVar("PayloadT")
FoundT = TypeVar("FoundT")
ResultT = TypeVar("ResultT")


def bound(
    method: Callable[[PayloadT], FoundT | Awaitable[FoundT]],
    to_payload: Callable[..., PayloadT],
    to_result: Callable[[FoundT], ResultT],
    injected: Mapping[str, str],
) -> Callable[[Any, ToolCallMeta], ResultT | Awaitable[ResultT]]:
    """Return a handler that calls a method, sync or async; if the method is marked blocking, so is the handler.

    `injected` maps the keywords of `to_payload` to the names of injected fields. Raises TypeError for a method that no
    call could run.
    """
    problem = call_problem(method, "the payload")
    if problem:
        raise TypeError(f"no call could run a method of the service: {problem}")

    async def finish(found: Awaitable[FoundT]) -> ResultT:
        return to_result(await found)

    def handle(args: Any, meta: ToolCallMeta) -> ResultT | Awaitable[ResultT]:
        found = method(to_payload(args, **{name: meta.injected[field] for name, field in injected.items()}))
        return finish(found) if isawaitable(found) else to_result(found)

    vars(handle).update(getattr(method, "__dict__", {}))
    return handle
