"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime.call import Call, Host, Steps, Tool
from toolgen.runtime.executors.assignment import assign, find_runner
from toolgen.runtime.result import failed, with_raw_name
from toolgen.runtime.stages import decode, encode, permission
from toolgen.runtime.stages.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolResult, ToolsetRegistration
    from toolgen.runtime.catalog import Catalog
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.permission import PermissionCallback

A = TypeVar("A")
R = TypeVar("R")

STAGES: Final = (permission.bind,)
"""What a call goes through between decoding and executing, in this order. A stage is bound to a tool once."""


class Runtime:
    """Runs the calls of one catalog, which it freezes.

    `executors` says what runs the toolsets; `permission` is asked before a tool runs that is not plainly readonly, and
    has to answer within `permission_timeout` seconds. `new_call_id` names calls that come without an id.
    Raises `ExecutorError` for executors that do not fit the catalog.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        permission: PermissionCallback,
        executors: Sequence[ToolsetRegistration] = (),
        permission_timeout: float = 300.0,
        new_call_id: Callable[[], str] | None = None,
    ) -> None:
        import_module("toolgen.runtime.models")  # pydantic's first model takes 50 ms: now, and not in the first call
        catalog.freeze()
        self._catalog = catalog
        self._assigned = assign(catalog, executors)
        self._host = Host(permission=permission, permission_timeout=permission_timeout)
        self._new_call_id = new_call_id or _unique_call_ids()
        self._steps: dict[str, Steps] = {}

    async def call(self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None) -> ToolResult[R]:
        """Call a tool with typed args. Every failure is a result; only cancellation passes."""
        return await self.invoke(_TypedRequest(name=ident, args=args), meta=meta)

    async def invoke(self, request: ToolRequest, *, meta: ToolCallMeta | None = None) -> ToolResult[Any]:
        """Call a tool by any of its names, with JSON args. Every failure is a result; only cancellation passes."""
        name = ident = request.name
        call_id = request.tool_call_id or (meta and meta.tool_call_id) or self._new_call_id()
        call_meta = meta.for_call(call_id) if meta else ToolCallMeta.of_nobody(call_id)
        try:
            steps = self._steps.get(name)
            if steps is None:
                steps = self._steps_of(ident := resolve(self._catalog, name))
            decode_payload, accept, stages, run, encode_outcome = steps
            given = accept(request.args) if type(request) is _TypedRequest else decode_payload(request.payload)
            if stages:
                call = Call(given=given, meta=call_meta)
                for stage in stages:
                    waiting = stage(call)
                    if waiting is not None:
                        await waiting
            outcome = run(given, call_meta)
            if type(outcome) is CoroutineType or isinstance(outcome, Awaitable):  # the first is cheap, and usual
                result = encode_outcome(await outcome, call_id)
            else:
                result = encode_outcome(outcome, call_id)
        except Exception as error:  # noqa: BLE001  # handlers may raise anything; a bug of ours must stay in its call
            result = failed(ident, call_id, error)
        return result if ident == name else with_raw_name(result, name)

    def tool_spec(self, ident: Ident[Any, Any]) -> ToolDefinition:
        """Give the definition of a tool. Raises `ToolNotFound`."""
        return self._catalog.definition(ident)

    def tool_schema(self, ident: Ident[Any, Any]) -> dict[str, Any]:
        """Give a copy of the JSON Schema of a tool's args. Raises `ToolNotFound`."""
        schema: dict[str, Any] = self._catalog.schema(ident, "args")
        return schema

    def _steps_of(self, ident: str) -> Steps:
        """Make a tool ready at its first call."""
        known = self._steps.get(ident)
        if known is not None:
            return known
        run, form = find_runner(self._catalog, self._assigned, ident)
        tool = Tool(
            definition=self._catalog.definition(ident),
            args=self._catalog.codec(ident, "args"),
            result=self._catalog.codec(ident, "result"),
            form=form,
        )
        stages = (bind(tool, self._host) for bind in STAGES)
        steps = self._steps[ident] = Steps(
            *decode.bind(tool), tuple(stage for stage in stages if stage is not None), run, encode.bind(tool)
        )
        return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class _TypedRequest(ToolRequest):
    """A request by a program, with typed args in the place of a payload."""

    args: Any


def _unique_call_ids() -> Callable[[], str]:
    """Number the calls of one runtime, behind a random word that tells runtimes apart."""
    prefix = f"call_{os.urandom(6).hex()}_"
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers)}"
