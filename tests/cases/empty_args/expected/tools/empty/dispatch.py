"""What runs the tools of `empty`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.closed import ClosedArgs, ClosedResult
    from .types.left_out import LeftOutArgs, LeftOutResult
    from .types.map_ import MapArgs, MapResult
    from .types.no_fields import NoFieldsArgs, NoFieldsResult
    from .types.patterns import PatternsArgs, PatternsResult
    from .types.raw import RawArgs, RawResult
    from .types.word import WordArgs, WordResult


class Handlers(Protocol):
    """One method for each tool of `empty`, sync or async."""

    def closed(self, args: ClosedArgs, meta: ToolCallMeta, /) -> Returns[ClosedResult]:
        """A closed one."""
        ...

    def left_out(self, args: LeftOutArgs, meta: ToolCallMeta, /) -> Returns[LeftOutResult]:
        """Nothing written."""
        ...

    def map(self, args: MapArgs, meta: ToolCallMeta, /) -> Returns[MapResult]:
        """Any keys of one type."""
        ...

    def no_fields(self, args: NoFieldsArgs, meta: ToolCallMeta, /) -> Returns[NoFieldsResult]:
        """No fields."""
        ...

    def patterns(self, args: PatternsArgs, meta: ToolCallMeta, /) -> Returns[PatternsResult]:
        """Keys by pattern."""
        ...

    def raw(self, args: RawArgs, meta: ToolCallMeta, /) -> Returns[RawResult]:
        """An open object."""
        ...

    def word(self, args: WordArgs, meta: ToolCallMeta, /) -> Returns[WordResult]:
        """An open object by its word."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="empty",
        handlers={
            idents.CLOSED: handlers.closed,
            idents.LEFT_OUT: handlers.left_out,
            idents.MAP: handlers.map,
            idents.NO_FIELDS: handlers.no_fields,
            idents.PATTERNS: handlers.patterns,
            idents.RAW: handlers.raw,
            idents.WORD: handlers.word,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="empty",
        executor=executor,
    )
