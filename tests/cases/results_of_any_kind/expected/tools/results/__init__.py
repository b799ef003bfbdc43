"""`results`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.any_ import AnyArgs as AnyArgs, AnyResult as AnyResult
    from .types.bounded import BoundedArgs as BoundedArgs, BoundedResult as BoundedResult
    from .types.by_name import ByNameArgs as ByNameArgs, ByNameResult as ByNameResult
    from .types.choice import ChoiceArgs as ChoiceArgs, ChoiceResult as ChoiceResult
    from .types.count import CountArgs as CountArgs, CountResult as CountResult
    from .types.either import EitherArgs as EitherArgs, EitherResult as EitherResult
    from .types.empty import EmptyArgs as EmptyArgs, EmptyResult as EmptyResult
    from .types.flag import FlagArgs as FlagArgs, FlagResult as FlagResult
    from .types.grid import GridArgs as GridArgs, GridResult as GridResult
    from .types.nothing import NothingArgs as NothingArgs, NothingResult as NothingResult
    from .types.object_ import ObjectArgs as ObjectArgs, ObjectResult as ObjectResult
    from .types.options import (
        OptionsArgs as OptionsArgs,
        OptionsResult as OptionsResult,
        OptionsResultOption1 as OptionsResultOption1,
        OptionsResultOption2 as OptionsResultOption2,
    )
    from .types.ratio import RatioArgs as RatioArgs, RatioResult as RatioResult
    from .types.row import RowArgs as RowArgs, RowResult as RowResult
    from .types.rows import RowsArgs as RowsArgs, RowsResult as RowsResult
    from .types.several import SeveralArgs as SeveralArgs, SeveralResult as SeveralResult
    from .types.shared import Row as Row
    from .types.text import TextArgs as TextArgs, TextResult as TextResult
    from .types.unsaid import UnsaidArgs as UnsaidArgs, UnsaidResult as UnsaidResult
    from . import codecs as codecs
    from .calls import (
        new_any_call as new_any_call,
        new_bounded_call as new_bounded_call,
        new_by_name_call as new_by_name_call,
        new_choice_call as new_choice_call,
        new_count_call as new_count_call,
        new_either_call as new_either_call,
        new_empty_call as new_empty_call,
        new_flag_call as new_flag_call,
        new_grid_call as new_grid_call,
        new_nothing_call as new_nothing_call,
        new_object_call as new_object_call,
        new_options_call as new_options_call,
        new_ratio_call as new_ratio_call,
        new_row_call as new_row_call,
        new_rows_call as new_rows_call,
        new_several_call as new_several_call,
        new_text_call as new_text_call,
        new_unsaid_call as new_unsaid_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        ANY as ANY,
        BOUNDED as BOUNDED,
        BY_NAME as BY_NAME,
        CHOICE as CHOICE,
        COUNT as COUNT,
        EITHER as EITHER,
        EMPTY as EMPTY,
        FLAG as FLAG,
        GRID as GRID,
        NOTHING as NOTHING,
        OBJECT as OBJECT,
        OPTIONS as OPTIONS,
        RATIO as RATIO,
        ROW as ROW,
        ROWS as ROWS,
        SEVERAL as SEVERAL,
        TEXT as TEXT,
        UNSAID as UNSAID,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ANY": ".idents",
            "AnyArgs": ".types.any_",
            "AnyResult": ".types.any_",
            "BOUNDED": ".idents",
            "BY_NAME": ".idents",
            "BoundedArgs": ".types.bounded",
            "BoundedResult": ".types.bounded",
            "ByNameArgs": ".types.by_name",
            "ByNameResult": ".types.by_name",
            "CHOICE": ".idents",
            "COUNT": ".idents",
            "ChoiceArgs": ".types.choice",
            "ChoiceResult": ".types.choice",
            "CountArgs": ".types.count",
            "CountResult": ".types.count",
            "EITHER": ".idents",
            "EMPTY": ".idents",
            "EitherArgs": ".types.either",
            "EitherResult": ".types.either",
            "EmptyArgs": ".types.empty",
            "EmptyResult": ".types.empty",
            "FLAG": ".idents",
            "FlagArgs": ".types.flag",
            "FlagResult": ".types.flag",
            "GRID": ".idents",
            "GridArgs": ".types.grid",
            "GridResult": ".types.grid",
            "Handlers": ".dispatch",
            "NOTHING": ".idents",
            "NothingArgs": ".types.nothing",
            "NothingResult": ".types.nothing",
            "OBJECT": ".idents",
            "OPTIONS": ".idents",
            "ObjectArgs": ".types.object_",
            "ObjectResult": ".types.object_",
            "OptionsArgs": ".types.options",
            "OptionsResult": ".types.options",
            "OptionsResultOption1": ".types.options",
            "OptionsResultOption2": ".types.options",
            "RATIO": ".idents",
            "ROW": ".idents",
            "ROWS": ".idents",
            "RatioArgs": ".types.ratio",
            "RatioResult": ".types.ratio",
            "Row": ".types.shared",
            "RowArgs": ".types.row",
            "RowResult": ".types.row",
            "RowsArgs": ".types.rows",
            "RowsResult": ".types.rows",
            "SEVERAL": ".idents",
            "SeveralArgs": ".types.several",
            "SeveralResult": ".types.several",
            "TEXT": ".idents",
            "TextArgs": ".types.text",
            "TextResult": ".types.text",
            "UNSAID": ".idents",
            "UnsaidArgs": ".types.unsaid",
            "UnsaidResult": ".types.unsaid",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_any_call": ".calls",
            "new_bounded_call": ".calls",
            "new_by_name_call": ".calls",
            "new_choice_call": ".calls",
            "new_count_call": ".calls",
            "new_either_call": ".calls",
            "new_empty_call": ".calls",
            "new_flag_call": ".calls",
            "new_grid_call": ".calls",
            "new_nothing_call": ".calls",
            "new_object_call": ".calls",
            "new_options_call": ".calls",
            "new_ratio_call": ".calls",
            "new_registration": ".dispatch",
            "new_row_call": ".calls",
            "new_rows_call": ".calls",
            "new_several_call": ".calls",
            "new_text_call": ".calls",
            "new_unsaid_call": ".calls",
        },
    )
