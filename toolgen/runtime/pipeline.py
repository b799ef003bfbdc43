"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import secrets
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolError
from toolgen.runtime.call import Call, Host, Tool
from toolgen.runtime.errors import ToolNotFound
from toolgen.runtime.executors.assignment import assign, runner
from toolgen.runtime.result import failed, not_available, succeeded, tool_error_from_error
from toolgen.runtime.stages import decode, encode, execute, permission
from toolgen.runtime.stages.resolve import resolve, without_executor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolRequest, ToolResult, ToolsetRegistration
    from toolgen.runtime.call import Stage
    from toolgen.runtime.catalog import Catalog
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.permission import PermissionCallback

A = TypeVar("A")
R = TypeVar("R")

STAGES: Final = (decode.bind, permission.bind, execute.bind, encode.bind)
"""What every call goes through, in this order. A stage is bound to each tool once, and may have nothing to do there."""

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
        self._ready: dict[str, tuple[str, tuple[Stage, ...]]] = {}

    async def call(self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None) -> ToolResult[R]:
        """Call a tool with typed args. Every failure is a result; only cancellation passes."""
        return await self._run(ident, "", None, args, meta)

    async def invoke(self, request: ToolRequest, *, meta: ToolCallMeta | None = None) -> ToolResult[Any]:
        """Call a tool by any of its names, with JSON args. Every failure is a result; only cancellation passes."""
        return await self._run(request.name, request.tool_call_id, request.payload, None, meta)

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
        call = Call(call_id, payload, args, given.for_call(call_id))
        ident = name
        try:
            ident, stages = self._ready.get(name) or self._make_ready(name)
            if ident != name:
                call.metadata["raw_tool_name"] = name
            for stage in stages:
                error = stage(call)
                if error is not None and not isinstance(error, ToolError):
                    error = await error
                if error is not None:
                    return failed(ident, call_id, error, call.blocks, call.metadata)
        except ToolNotFound as error:
            return failed(ident, call_id, not_available(name, error.suggestions), (), call.metadata)
        except Exception as error:  # noqa: BLE001  # a bug of ours must not take the caller's loop down
            return failed(ident, call_id, tool_error_from_error(error), (), call.metadata)
        return succeeded(ident, call_id, call.value, call.encoded, call.blocks, call.metadata)

    def _make_ready(self, name: str) -> tuple[str, tuple[Stage, ...]]:
        """Bind the stages to a tool, at its first call by this name."""
        ident = resolve(self._catalog, name)
        self._ready[name] = self._ready[ident] = ready = self._ready.get(ident) or (ident, self._bind(ident))
        return ready

    def _bind(self, ident: str) -> tuple[Stage, ...]:
        found = runner(self._catalog, self._assigned, ident)
        if found is None:
            return (without_executor(ident, self._catalog.toolset_of(ident)),)
        run, form = found
        tool = Tool(
            definition=self._catalog.definition(ident),
            args=self._catalog.codec(ident, "args"),
            result=self._catalog.codec(ident, "result"),
            form=form,
            run=run,
        )
        bound = (bind(tool, self._host) for bind in STAGES)
        return tuple(stage for stage in bound if stage is not None)


def _unique_call_ids() -> Callable[[], str]:
    """Number the calls of one runtime, behind a random word that tells runtimes apart."""
    prefix = f"call_{secrets.token_hex(6)}_"
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers)}"
