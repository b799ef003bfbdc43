"""Idents of the tools of `results`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
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

ANY: Final[Ident[AnyArgs, AnyResult]] = Ident("results.any")
"""Anything."""

BOUNDED: Final[Ident[BoundedArgs, BoundedResult]] = Ident("results.bounded")
"""Keywords without a type."""

BY_NAME: Final[Ident[ByNameArgs, ByNameResult]] = Ident("results.by_name")
"""Rows by name."""

CHOICE: Final[Ident[ChoiceArgs, ChoiceResult]] = Ident("results.choice")
"""One of some words."""

COUNT: Final[Ident[CountArgs, CountResult]] = Ident("results.count")
"""A count."""

EITHER: Final[Ident[EitherArgs, EitherResult]] = Ident("results.either")
"""One of two types."""

EMPTY: Final[Ident[EmptyArgs, EmptyResult]] = Ident("results.empty")
"""No type."""

FLAG: Final[Ident[FlagArgs, FlagResult]] = Ident("results.flag")
"""A truth value."""

GRID: Final[Ident[GridArgs, GridResult]] = Ident("results.grid")
"""Rows of numbers."""

NOTHING: Final[Ident[NothingArgs, NothingResult]] = Ident("results.nothing")
"""Nothing."""

OBJECT: Final[Ident[ObjectArgs, ObjectResult]] = Ident("results.object")
"""An open object."""

OPTIONS: Final[Ident[OptionsArgs, OptionsResult]] = Ident("results.options")
"""Objects without names of their own."""

RATIO: Final[Ident[RatioArgs, RatioResult]] = Ident("results.ratio")
"""A number."""

ROW: Final[Ident[RowArgs, RowResult]] = Ident("results.row")
"""One row."""

ROWS: Final[Ident[RowsArgs, RowsResult]] = Ident("results.rows")
"""Rows."""

SEVERAL: Final[Ident[SeveralArgs, SeveralResult]] = Ident("results.several")
"""Several types."""

TEXT: Final[Ident[TextArgs, TextResult]] = Ident("results.text")
"""A text."""

UNSAID: Final[Ident[UnsaidArgs, UnsaidResult]] = Ident("results.unsaid")
"""Anything as well."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ANY,
    BOUNDED,
    BY_NAME,
    CHOICE,
    COUNT,
    EITHER,
    EMPTY,
    FLAG,
    GRID,
    NOTHING,
    OBJECT,
    OPTIONS,
    RATIO,
    ROW,
    ROWS,
    SEVERAL,
    TEXT,
    UNSAID,
)
"""Every tool of this toolset."""
