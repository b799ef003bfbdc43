"""What runs the tools of `crm.contacts`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

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

    def open_(self, args: OpenArgs, meta: ToolCallMeta, /) -> Returns[OpenResult]:
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
            idents.OPEN: handlers.open_,
            idents.SAME: handlers.same,
            idents.SAVE: handlers.save,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="crm.contacts",
        executor=executor,
    )
