"""What runs the tools of `results`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.any_ import AnyArgs, AnyResult
    from .types.bounded import BoundedArgs, BoundedResult
    from .types.by_name import ByNameArgs, ByNameResult
    from .types.choice import ChoiceArgs, ChoiceResult
    from .types.count import CountArgs, CountResult
    from .types.either import EitherArgs, EitherResult
    from .types.empty import EmptyArgs, EmptyResult
    from .types.flag import FlagArgs, FlagResult
    from .types.grid import GridArgs, GridResult
    from .types.nothing import NothingArgs, NothingResult
    from .types.object_ import ObjectArgs, ObjectResult
    from .types.options import OptionsArgs, OptionsResult
    from .types.ratio import RatioArgs, RatioResult
    from .types.row import RowArgs, RowResult
    from .types.rows import RowsArgs, RowsResult
    from .types.several import SeveralArgs, SeveralResult
    from .types.text import TextArgs, TextResult
    from .types.unsaid import UnsaidArgs, UnsaidResult


class Handlers(Protocol):
    """One method for each tool of `results`, sync or async."""

    def any(self, args: AnyArgs, meta: ToolCallMeta, /) -> Returns[AnyResult]:
        """Anything."""
        ...

    def bounded(self, args: BoundedArgs, meta: ToolCallMeta, /) -> Returns[BoundedResult]:
        """Keywords without a type."""
        ...

    def by_name(self, args: ByNameArgs, meta: ToolCallMeta, /) -> Returns[ByNameResult]:
        """Rows by name."""
        ...

    def choice(self, args: ChoiceArgs, meta: ToolCallMeta, /) -> Returns[ChoiceResult]:
        """One of some words."""
        ...

    def count(self, args: CountArgs, meta: ToolCallMeta, /) -> Returns[CountResult]:
        """A count."""
        ...

    def either(self, args: EitherArgs, meta: ToolCallMeta, /) -> Returns[EitherResult]:
        """One of two types."""
        ...

    def empty(self, args: EmptyArgs, meta: ToolCallMeta, /) -> Returns[EmptyResult]:
        """No type."""
        ...

    def flag(self, args: FlagArgs, meta: ToolCallMeta, /) -> Returns[FlagResult]:
        """A truth value."""
        ...

    def grid(self, args: GridArgs, meta: ToolCallMeta, /) -> Returns[GridResult]:
        """Rows of numbers."""
        ...

    def nothing(self, args: NothingArgs, meta: ToolCallMeta, /) -> Returns[NothingResult]:
        """Nothing."""
        ...

    def object(self, args: ObjectArgs, meta: ToolCallMeta, /) -> Returns[ObjectResult]:
        """An open object."""
        ...

    def options(self, args: OptionsArgs, meta: ToolCallMeta, /) -> Returns[OptionsResult]:
        """Objects without names of their own."""
        ...

    def ratio(self, args: RatioArgs, meta: ToolCallMeta, /) -> Returns[RatioResult]:
        """A number."""
        ...

    def row(self, args: RowArgs, meta: ToolCallMeta, /) -> Returns[RowResult]:
        """One row."""
        ...

    def rows(self, args: RowsArgs, meta: ToolCallMeta, /) -> Returns[RowsResult]:
        """Rows."""
        ...

    def several(self, args: SeveralArgs, meta: ToolCallMeta, /) -> Returns[SeveralResult]:
        """Several types."""
        ...

    def text(self, args: TextArgs, meta: ToolCallMeta, /) -> Returns[TextResult]:
        """A text."""
        ...

    def unsaid(self, args: UnsaidArgs, meta: ToolCallMeta, /) -> Returns[UnsaidResult]:
        """Anything as well."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="results",
        handlers={
            idents.ANY: handlers.any,
            idents.BOUNDED: handlers.bounded,
            idents.BY_NAME: handlers.by_name,
            idents.CHOICE: handlers.choice,
            idents.COUNT: handlers.count,
            idents.EITHER: handlers.either,
            idents.EMPTY: handlers.empty,
            idents.FLAG: handlers.flag,
            idents.GRID: handlers.grid,
            idents.NOTHING: handlers.nothing,
            idents.OBJECT: handlers.object,
            idents.OPTIONS: handlers.options,
            idents.RATIO: handlers.ratio,
            idents.ROW: handlers.row,
            idents.ROWS: handlers.rows,
            idents.SEVERAL: handlers.several,
            idents.TEXT: handlers.text,
            idents.UNSAID: handlers.unsaid,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="results",
        executor=executor,
    )
