"""Call builders of `empty`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_closed_call() -> ToolRequest:
    """Ask for `empty.closed`: A closed one.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CLOSED, codecs.CLOSED_ARGS, {})


def new_left_out_call() -> ToolRequest:
    """Ask for `empty.left_out`: Nothing written.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LEFT_OUT, codecs.LEFT_OUT_ARGS, {})


def new_map_call() -> ToolRequest:
    """Ask for `empty.map`: Any keys of one type.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.MAP, codecs.MAP_ARGS, {})


def new_no_fields_call() -> ToolRequest:
    """Ask for `empty.no_fields`: No fields.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NO_FIELDS, codecs.NO_FIELDS_ARGS, {})


def new_patterns_call() -> ToolRequest:
    """Ask for `empty.patterns`: Keys by pattern.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PATTERNS, codecs.PATTERNS_ARGS, {})


def new_raw_call() -> ToolRequest:
    """Ask for `empty.raw`: An open object.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RAW, codecs.RAW_ARGS, {})


def new_word_call() -> ToolRequest:
    """Ask for `empty.word`: An open object by its word.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WORD, codecs.WORD_ARGS, {})
