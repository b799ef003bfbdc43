"""What runs the tools of `numbers`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.bounds import BoundsArgs, BoundsResult
    from .types.kinds import KindsArgs, KindsResult
    from .types.multiples import MultiplesArgs, MultiplesResult


class Handlers(Protocol):
    """One method for each tool of `numbers`, sync or async."""

    def bounds(self, args: BoundsArgs, meta: ToolCallMeta, /) -> Returns[BoundsResult]:
        """Inclusive and exclusive bounds."""
        ...

    def kinds(self, args: KindsArgs, meta: ToolCallMeta, /) -> Returns[KindsResult]:
        """An integer may be written 1.0; a truth value is no number."""
        ...

    def multiples(self, args: MultiplesArgs, meta: ToolCallMeta, /) -> Returns[MultiplesResult]:
        """Multiples of whole numbers and of fractions."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="numbers",
        handlers={
            idents.BOUNDS: handlers.bounds,
            idents.KINDS: handlers.kinds,
            idents.MULTIPLES: handlers.multiples,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="numbers",
        executor=executor,
    )
