"""What runs the tools of `files`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.all_of_them import AllOfThemArgs, AllOfThemResult
    from .types.none_of_them import NoneOfThemArgs, NoneOfThemResult
    from .types.some import SomeArgs, SomeResult


class Handlers(Protocol):
    """One method for each tool of `files`, sync or async."""

    def all_of_them(self, args: AllOfThemArgs, meta: ToolCallMeta, /) -> Returns[AllOfThemResult]:
        """Has every default."""
        ...

    def none_of_them(self, args: NoneOfThemArgs, meta: ToolCallMeta, /) -> Returns[NoneOfThemResult]:
        """Replaces the rest."""
        ...

    def some(self, args: SomeArgs, meta: ToolCallMeta, /) -> Returns[SomeResult]:
        """Adds tags and changes limits."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="files",
        handlers={
            idents.ALL_OF_THEM: handlers.all_of_them,
            idents.NONE_OF_THEM: handlers.none_of_them,
            idents.SOME: handlers.some,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="files",
        executor=executor,
    )
