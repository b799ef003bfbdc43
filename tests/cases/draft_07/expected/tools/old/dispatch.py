"""What runs the tools of `old`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.arrays import ArraysArgs, ArraysResult
    from .types.newer_words import NewerWordsArgs, NewerWordsResult
    from .types.objects import ObjectsArgs, ObjectsResult
    from .types.recursive import RecursiveArgs, RecursiveResult
    from .types.siblings import SiblingsArgs, SiblingsResult


class Handlers(Protocol):
    """One method for each tool of `old`, sync or async."""

    def arrays(self, args: ArraysArgs, meta: ToolCallMeta, /) -> Returns[ArraysResult]:
        """Places are listed in items, and the rest in additionalItems."""
        ...

    def newer_words(self, args: NewerWordsArgs, meta: ToolCallMeta, /) -> Returns[NewerWordsResult]:
        """Keywords of a later draft are unknown here, and check nothing."""
        ...

    def objects(self, args: ObjectsArgs, meta: ToolCallMeta, /) -> Returns[ObjectsResult]:
        """Dependencies of both kinds, conditions, and names of keys."""
        ...

    def recursive(self, args: RecursiveArgs, meta: ToolCallMeta, /) -> Returns[RecursiveResult]:
        """Types in themselves."""
        ...

    def siblings(self, args: SiblingsArgs, meta: ToolCallMeta, /) -> Returns[SiblingsResult]:
        """Beside $ref nothing counts."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="old",
        handlers={
            idents.ARRAYS: handlers.arrays,
            idents.NEWER_WORDS: handlers.newer_words,
            idents.OBJECTS: handlers.objects,
            idents.RECURSIVE: handlers.recursive,
            idents.SIBLINGS: handlers.siblings,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="old",
        executor=executor,
    )
