"""Codecs of `results`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

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

ANY_ARGS: Final[Codec[AnyArgs]] = Codec.of_package(PACKAGE, "results.any", "args")
ANY_RESULT: Final[Codec[AnyResult]] = Codec.of_package(PACKAGE, "results.any", "result")
BOUNDED_ARGS: Final[Codec[BoundedArgs]] = Codec.of_package(PACKAGE, "results.bounded", "args")
BOUNDED_RESULT: Final[Codec[BoundedResult]] = Codec.of_package(PACKAGE, "results.bounded", "result")
BY_NAME_ARGS: Final[Codec[ByNameArgs]] = Codec.of_package(PACKAGE, "results.by_name", "args")
BY_NAME_RESULT: Final[Codec[ByNameResult]] = Codec.of_package(PACKAGE, "results.by_name", "result")
CHOICE_ARGS: Final[Codec[ChoiceArgs]] = Codec.of_package(PACKAGE, "results.choice", "args")
CHOICE_RESULT: Final[Codec[ChoiceResult]] = Codec.of_package(PACKAGE, "results.choice", "result")
COUNT_ARGS: Final[Codec[CountArgs]] = Codec.of_package(PACKAGE, "results.count", "args")
COUNT_RESULT: Final[Codec[CountResult]] = Codec.of_package(PACKAGE, "results.count", "result")
EITHER_ARGS: Final[Codec[EitherArgs]] = Codec.of_package(PACKAGE, "results.either", "args")
EITHER_RESULT: Final[Codec[EitherResult]] = Codec.of_package(PACKAGE, "results.either", "result")
EMPTY_ARGS: Final[Codec[EmptyArgs]] = Codec.of_package(PACKAGE, "results.empty", "args")
EMPTY_RESULT: Final[Codec[EmptyResult]] = Codec.of_package(PACKAGE, "results.empty", "result")
FLAG_ARGS: Final[Codec[FlagArgs]] = Codec.of_package(PACKAGE, "results.flag", "args")
FLAG_RESULT: Final[Codec[FlagResult]] = Codec.of_package(PACKAGE, "results.flag", "result")
GRID_ARGS: Final[Codec[GridArgs]] = Codec.of_package(PACKAGE, "results.grid", "args")
GRID_RESULT: Final[Codec[GridResult]] = Codec.of_package(PACKAGE, "results.grid", "result")
NOTHING_ARGS: Final[Codec[NothingArgs]] = Codec.of_package(PACKAGE, "results.nothing", "args")
NOTHING_RESULT: Final[Codec[NothingResult]] = Codec.of_package(PACKAGE, "results.nothing", "result")
OBJECT_ARGS: Final[Codec[ObjectArgs]] = Codec.of_package(PACKAGE, "results.object", "args")
OBJECT_RESULT: Final[Codec[ObjectResult]] = Codec.of_package(PACKAGE, "results.object", "result")
OPTIONS_ARGS: Final[Codec[OptionsArgs]] = Codec.of_package(PACKAGE, "results.options", "args")
OPTIONS_RESULT: Final[Codec[OptionsResult]] = Codec.of_package(PACKAGE, "results.options", "result")
RATIO_ARGS: Final[Codec[RatioArgs]] = Codec.of_package(PACKAGE, "results.ratio", "args")
RATIO_RESULT: Final[Codec[RatioResult]] = Codec.of_package(PACKAGE, "results.ratio", "result")
ROW_ARGS: Final[Codec[RowArgs]] = Codec.of_package(PACKAGE, "results.row", "args")
ROW_RESULT: Final[Codec[RowResult]] = Codec.of_package(PACKAGE, "results.row", "result")
ROWS_ARGS: Final[Codec[RowsArgs]] = Codec.of_package(PACKAGE, "results.rows", "args")
ROWS_RESULT: Final[Codec[RowsResult]] = Codec.of_package(PACKAGE, "results.rows", "result")
SEVERAL_ARGS: Final[Codec[SeveralArgs]] = Codec.of_package(PACKAGE, "results.several", "args")
SEVERAL_RESULT: Final[Codec[SeveralResult]] = Codec.of_package(PACKAGE, "results.several", "result")
TEXT_ARGS: Final[Codec[TextArgs]] = Codec.of_package(PACKAGE, "results.text", "args")
TEXT_RESULT: Final[Codec[TextResult]] = Codec.of_package(PACKAGE, "results.text", "result")
UNSAID_ARGS: Final[Codec[UnsaidArgs]] = Codec.of_package(PACKAGE, "results.unsaid", "args")
UNSAID_RESULT: Final[Codec[UnsaidResult]] = Codec.of_package(PACKAGE, "results.unsaid", "result")
