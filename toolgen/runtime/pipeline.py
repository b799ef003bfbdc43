"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import secrets
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolError
from toolgen.runtime.call import Call, Host, Tool
from toolgen.runtime.executors.assignment import assign, runner
from toolgen.runtime.result import failed, succeeded, tool_error_from_error
from toolgen.runtime.stages import decode, encode, execute, permission
from toolgen.runtime.stages.resolve import respelled, unknown, without_executor

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolRequest, ToolResult, ToolsetRegistration
    from toolgen.runtime.call import Stage
    from toolgen.runtime.catalog import Catalog
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.permission import PermissionCallback

A = TypeVar("A")
R = TypeVar("R")

BEFORE: Final = (decode.bind, permission.bind)
"""What a call goes through before its tool runs, in this order. A stage is bound once to each tool; it may have nothing to do there."""

AFTER: Final = (encode.bind,)
"""What it goes through once the tool has run."""

_NOBODY: Final = ToolCallMeta()


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
        catalog.freeze()
        self._catalog = catalog
        self._assigned = assign(catalog, executors)
        self._host = Host(permission=permission, permission_timeout=permission_timeout)
        self._new_call_id = new_call_id or _unique_call_ids()
        self._stages: dict[str, tuple[Stage, ...]] = {}

    def call(
        self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None
    ) -> Coroutine[Any, Any, ToolResult[R]]:
        """Call a tool with typed args. Every failure is a result; only cancellation passes."""
        return self._run(ident, "", None, args, meta)

    def invoke(self, request: ToolRequest, *, meta: ToolCallMeta | None = None) -> Coroutine[Any, Any, ToolResult[Any]]:
        """Call a tool by any of its names, with JSON args. Every failure is a result; only cancellation passes."""
        return self._run(request.name, request.tool_call_id, request.payload, None, meta)

    def tool_spec(self, ident: Ident[Any, Any]) -> ToolDefinition:
        """Give the definition of a tool. Raises `ToolNotFound`."""
        return self._catalog.definition(ident)

    def tool_schema(self, ident: Ident[Any, Any]) -> dict[str, Any]:
        """Give a copy of the JSON Schema of a tool's args. Raises `ToolNotFound`."""
        schema: dict[str, Any] = self._catalog.schema(ident, "args")
        return schema

    async def _run(
        self, name: str, tool_call_id: str, payload: bytes | str | None, args: Any, meta: ToolCallMeta | None
    ) -> ToolResult[Any]:
        given = meta or _NOBODY
        call_id = tool_call_id or given.tool_call_id or self._new_call_id()
        call = Call(name, call_id, payload, args, given.for_call(call_id))
        try:
            before, run, after = self._ready.get(name) or self._make_ready(name)
            for stage in before:
                if (stop := stage(call)) is not None and (error := await _error(stop)) is not None:
                    return failed(call, error)
            outcome = run(call)
            call.outcome = await outcome if isinstance(outcome, Awaitable) else outcome
            for stage in after:
                if (stop := stage(call)) is not None and (error := await _error(stop)) is not None:
                    return failed(call, error)
        except Exception as error:  # noqa: BLE001  # handlers may raise anything, and a bug of ours must stay in the call
            return failed(call, tool_error_from_error(error))
        return succeeded(call)

def _unique_call_ids() -> Callable[[], str]:
    """Number the calls of one runtime, behind a random word that tells runtimes apart."""
    prefix = f"call_{secrets.token_hex(6)}_"
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers)}"
