"""What runs the tools of `refs`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.pointers import PointersArgs, PointersResult
    from .types.resources import ResourcesArgs, ResourcesResult


class Handlers(Protocol):
    """One method for each tool of `refs`, sync or async."""

    def anchors(self, args: AnchorsArgs, meta: ToolCallMeta, /) -> Returns[AnchorsResult]:
        """By anchor, and dynamically."""
        ...

    def pointers(self, args: PointersArgs, meta: ToolCallMeta, /) -> Returns[PointersResult]:
        """By JSON pointer, also into properties, through escaped names, and from one definition to another."""
        ...

    def resources(self, args: ResourcesArgs, meta: ToolCallMeta, /) -> Returns[ResourcesResult]:
        """A schema with an $id is a document of its own."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="refs",
        handlers={
            idents.ANCHORS: handlers.anchors,
            idents.POINTERS: handlers.pointers,
            idents.RESOURCES: handlers.resources,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="refs",
        executor=executor,
    )
