"""Call builders of `results`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_any_call() -> ToolRequest:
    """Ask for `results.any`: Anything.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ANY, codecs.ANY_ARGS, {})


def new_bounded_call() -> ToolRequest:
    """Ask for `results.bounded`: Keywords without a type.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BOUNDED, codecs.BOUNDED_ARGS, {})


def new_by_name_call() -> ToolRequest:
    """Ask for `results.by_name`: Rows by name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BY_NAME, codecs.BY_NAME_ARGS, {})


def new_choice_call() -> ToolRequest:
    """Ask for `results.choice`: One of some words.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CHOICE, codecs.CHOICE_ARGS, {})


def new_count_call() -> ToolRequest:
    """Ask for `results.count`: A count.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.COUNT, codecs.COUNT_ARGS, {})


def new_either_call() -> ToolRequest:
    """Ask for `results.either`: One of two types.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.EITHER, codecs.EITHER_ARGS, {})


def new_empty_call() -> ToolRequest:
    """Ask for `results.empty`: No type.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.EMPTY, codecs.EMPTY_ARGS, {})


def new_flag_call() -> ToolRequest:
    """Ask for `results.flag`: A truth value.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FLAG, codecs.FLAG_ARGS, {})


def new_grid_call() -> ToolRequest:
    """Ask for `results.grid`: Rows of numbers.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GRID, codecs.GRID_ARGS, {})


def new_nothing_call() -> ToolRequest:
    """Ask for `results.nothing`: Nothing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NOTHING, codecs.NOTHING_ARGS, {})


def new_object_call() -> ToolRequest:
    """Ask for `results.object`: An open object.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OBJECT, codecs.OBJECT_ARGS, {})


def new_options_call() -> ToolRequest:
    """Ask for `results.options`: Objects without names of their own.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OPTIONS, codecs.OPTIONS_ARGS, {})


def new_ratio_call() -> ToolRequest:
    """Ask for `results.ratio`: A number.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RATIO, codecs.RATIO_ARGS, {})


def new_row_call() -> ToolRequest:
    """Ask for `results.row`: One row.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ROW, codecs.ROW_ARGS, {})


def new_rows_call() -> ToolRequest:
    """Ask for `results.rows`: Rows.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ROWS, codecs.ROWS_ARGS, {})


def new_several_call() -> ToolRequest:
    """Ask for `results.several`: Several types.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEVERAL, codecs.SEVERAL_ARGS, {})


def new_text_call() -> ToolRequest:
    """Ask for `results.text`: A text.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TEXT, codecs.TEXT_ARGS, {})


def new_unsaid_call() -> ToolRequest:
    """Ask for `results.unsaid`: Anything as well.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.UNSAID, codecs.UNSAID_ARGS, {})
