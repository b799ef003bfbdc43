"""What runs the tools of `crm.contacts`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.binding import bound
from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.methods import (
        NamesMethodResult,
        NamesPayload,
        NestedMethodResult,
        NestedPayload,
        OpenMethodResult,
        OpenPayload,
        SameMethodResult,
        SamePayload,
        SaveMethodResult,
        SavePayload,
    )
    from .types.names import NamesArgs, NamesResult
    from .types.nested import NestedArgs, NestedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.same import SameArgs, SameResult
    from .types.save import SaveArgs, SaveResult


class Handlers(Protocol):
    """One method for each tool of `crm.contacts`, sync or async."""

    def names(self, args: NamesArgs, meta: ToolCallMeta, /) -> Returns[NamesResult]:
        """Injected fields called like names of the function."""
        ...

    def nested(self, args: NestedArgs, meta: ToolCallMeta, /) -> Returns[NestedResult]:
        """Objects in objects are classes of their own on each side, and are made anew."""
        ...

    def open(self, args: OpenArgs, meta: ToolCallMeta, /) -> Returns[OpenResult]:
        """Open objects keep their other keys."""
        ...

    def same(self, args: SameArgs, meta: ToolCallMeta, /) -> Returns[SameResult]:
        """The same shapes on both sides."""
        ...

    def save(self, args: SaveArgs, meta: ToolCallMeta, /) -> Returns[SaveResult]:
        """The tenant comes from the call's context; the trace is left out; a default fills what is required."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="crm.contacts",
        handlers={
            idents.NAMES: handlers.names,
            idents.NESTED: handlers.nested,
            idents.OPEN: handlers.open,
            idents.SAME: handlers.same,
            idents.SAVE: handlers.save,
        },
    )


class ServiceMethods(Protocol):
    """The methods that the tools of this toolset are bound to, sync or async."""

    def save(self, payload: SavePayload, /) -> SaveMethodResult | Awaitable[SaveMethodResult]: ...

    def same(self, payload: SamePayload, /) -> SameMethodResult | Awaitable[SameMethodResult]: ...

    def nested(self, payload: NestedPayload, /) -> NestedMethodResult | Awaitable[NestedMethodResult]: ...

    def open(self, payload: OpenPayload, /) -> OpenMethodResult | Awaitable[OpenMethodResult]: ...

    def names(self, payload: NamesPayload, /) -> NamesMethodResult | Awaitable[NamesMethodResult]: ...


def executor_from(service: ServiceMethods) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `service` that they are bound to."""
    from . import transforms

    return ToolsetRegistration(
        toolset="crm.contacts",
        handlers={
            idents.NAMES: bound(
                service.names,
                transforms.to_method_payload_names,
                transforms.to_tool_return_names,
                {"args": "args", "result": "result", "made": "made", "rebuilt_": "rebuilt"},
            ),
            idents.NESTED: bound(
                service.nested, transforms.to_method_payload_nested, transforms.to_tool_return_nested, {}
            ),
            idents.OPEN: bound(service.open, transforms.to_method_payload_open, transforms.to_tool_return_open, {}),
            idents.SAME: bound(service.same, transforms.to_method_payload_same, transforms.to_tool_return_same, {}),
            idents.SAVE: bound(
                service.save,
                transforms.to_method_payload_save,
                transforms.to_tool_return_save,
                {"tenant_id": "tenant_id"},
            ),
        },
    )


def injections(
    *,
    args: Callable[[ToolCallMeta], str],
    made: Callable[[ToolCallMeta], str],
    rebuilt_: Callable[[ToolCallMeta], str],
    result: Callable[[ToolCallMeta], str],
    tenant_id: Callable[[ToolCallMeta], str],
) -> dict[str, Callable[[ToolCallMeta], Any]]:
    """What the host fills in, each from the meta of the call: for `Runtime(inject=...)`."""
    return {
        "args": args,
        "made": made,
        "rebuilt": rebuilt_,
        "result": result,
        "tenant_id": tenant_id,
    }


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="crm.contacts",
        executor=executor,
    )
