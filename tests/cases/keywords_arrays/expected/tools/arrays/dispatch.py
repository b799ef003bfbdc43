"""What runs the tools of `arrays`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.contents import ContentsArgs, ContentsResult
    from .types.lengths import LengthsArgs, LengthsResult
    from .types.places import PlacesArgs, PlacesResult
    from .types.typeless import TypelessArgs, TypelessResult


class Handlers(Protocol):
    """One method for each tool of `arrays`, sync or async."""

    def contents(self, args: ContentsArgs, meta: ToolCallMeta, /) -> Returns[ContentsResult]:
        """Some items must be there."""
        ...

    def lengths(self, args: LengthsArgs, meta: ToolCallMeta, /) -> Returns[LengthsResult]:
        """Lengths and uniqueness."""
        ...

    def places(self, args: PlacesArgs, meta: ToolCallMeta, /) -> Returns[PlacesResult]:
        """Every place has a schema of its own."""
        ...

    def typeless(self, args: TypelessArgs, meta: ToolCallMeta, /) -> Returns[TypelessResult]:
        """Without a type these keywords say nothing of other values."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="arrays",
        handlers={
            idents.CONTENTS: handlers.contents,
            idents.LENGTHS: handlers.lengths,
            idents.PLACES: handlers.places,
            idents.TYPELESS: handlers.typeless,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="arrays",
        executor=executor,
    )
