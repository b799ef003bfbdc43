"""`empty`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.closed import ClosedArgs as ClosedArgs, ClosedResult as ClosedResult
    from .types.left_out import LeftOutArgs as LeftOutArgs, LeftOutResult as LeftOutResult
    from .types.map_ import MapArgs as MapArgs, MapResult as MapResult
    from .types.no_fields import NoFieldsArgs as NoFieldsArgs, NoFieldsResult as NoFieldsResult
    from .types.patterns import PatternsArgs as PatternsArgs, PatternsResult as PatternsResult
    from .types.raw import RawArgs as RawArgs, RawResult as RawResult
    from .types.word import WordArgs as WordArgs, WordResult as WordResult
    from . import codecs as codecs
    from .calls import (
        new_closed_call as new_closed_call,
        new_left_out_call as new_left_out_call,
        new_map_call as new_map_call,
        new_no_fields_call as new_no_fields_call,
        new_patterns_call as new_patterns_call,
        new_raw_call as new_raw_call,
        new_word_call as new_word_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        CLOSED as CLOSED,
        LEFT_OUT as LEFT_OUT,
        MAP as MAP,
        NO_FIELDS as NO_FIELDS,
        PATTERNS as PATTERNS,
        RAW as RAW,
        WORD as WORD,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CLOSED": ".idents",
            "ClosedArgs": ".types.closed",
            "ClosedResult": ".types.closed",
            "Handlers": ".dispatch",
            "LEFT_OUT": ".idents",
            "LeftOutArgs": ".types.left_out",
            "LeftOutResult": ".types.left_out",
            "MAP": ".idents",
            "MapArgs": ".types.map_",
            "MapResult": ".types.map_",
            "NO_FIELDS": ".idents",
            "NoFieldsArgs": ".types.no_fields",
            "NoFieldsResult": ".types.no_fields",
            "PATTERNS": ".idents",
            "PatternsArgs": ".types.patterns",
            "PatternsResult": ".types.patterns",
            "RAW": ".idents",
            "RawArgs": ".types.raw",
            "RawResult": ".types.raw",
            "WORD": ".idents",
            "WordArgs": ".types.word",
            "WordResult": ".types.word",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_closed_call": ".calls",
            "new_left_out_call": ".calls",
            "new_map_call": ".calls",
            "new_no_fields_call": ".calls",
            "new_patterns_call": ".calls",
            "new_raw_call": ".calls",
            "new_registration": ".dispatch",
            "new_word_call": ".calls",
        },
    )
