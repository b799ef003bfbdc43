"""Idents of the tools of `empty`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.closed import ClosedArgs, ClosedResult
    from .types.left_out import LeftOutArgs, LeftOutResult
    from .types.map_ import MapArgs, MapResult
    from .types.no_fields import NoFieldsArgs, NoFieldsResult
    from .types.patterns import PatternsArgs, PatternsResult
    from .types.raw import RawArgs, RawResult
    from .types.word import WordArgs, WordResult

CLOSED: Final[Ident[ClosedArgs, ClosedResult]] = Ident("empty.closed")
"""A closed one."""

LEFT_OUT: Final[Ident[LeftOutArgs, LeftOutResult]] = Ident("empty.left_out")
"""Nothing written."""

MAP: Final[Ident[MapArgs, MapResult]] = Ident("empty.map")
"""Any keys of one type."""

NO_FIELDS: Final[Ident[NoFieldsArgs, NoFieldsResult]] = Ident("empty.no_fields")
"""No fields."""

PATTERNS: Final[Ident[PatternsArgs, PatternsResult]] = Ident("empty.patterns")
"""Keys by pattern."""

RAW: Final[Ident[RawArgs, RawResult]] = Ident("empty.raw")
"""An open object."""

WORD: Final[Ident[WordArgs, WordResult]] = Ident("empty.word")
"""An open object by its word."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CLOSED,
    LEFT_OUT,
    MAP,
    NO_FIELDS,
    PATTERNS,
    RAW,
    WORD,
)
"""Every tool of this toolset."""
