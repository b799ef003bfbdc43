"""Call builders of `values`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_consts_call(
    *,
    word: Literal["up"] | None = None,
    number: Literal[1] | None = None,
    whole_float: Literal[2] | None = None,
    float_: int | float | None = None,
    truth: Literal[True] | None = None,
    nothing: None | Absent = ABSENT,
    object_: JsonValue | Absent = ABSENT,
    list_: JsonValue | Absent = ABSENT,
    both: Literal["a"] | None = None,
    default: Literal["up"] = "up",
) -> ToolRequest:
    """Ask for `values.consts`: One value only.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.CONSTS,
        codecs.CONSTS_ARGS,
        {
            "word": word,
            "number": number,
            "whole_float": whole_float,
            "float": float_,
            "truth": truth,
            "nothing": nothing,
            "object": object_,
            "list": list_,
            "both": both,
            "default": default,
        },
        {"default": "up"},
    )


def new_enums_call(
    *,
    words: Literal["up", "down", "", 'it\'s "quoted"', "a\nb"] | None = None,
    typed: Literal["a", "b"] | None = None,
    numbers: Literal[1, 2, 3] | None = None,
    floats: int | float | None = None,
    whole_floats: Literal[1, 2] | None = None,
    booleans: Literal[True] | None = None,
    with_null: Literal["a"] | None | Absent = ABSENT,
    typed_with_null: Literal["a"] | None | Absent = ABSENT,
    mixed: JsonValue | Absent = ABSENT,
    ones: JsonValue | Absent = ABSENT,
    objects: JsonValue | Absent = ABSENT,
    only_null: None | Absent = ABSENT,
    narrowed: JsonValue | Absent = ABSENT,
    listed: list[Literal["x", "y"]] | None = None,
) -> ToolRequest:
    """Ask for `values.enums`: Enumerations of every kind.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ENUMS,
        codecs.ENUMS_ARGS,
        {
            "words": words,
            "typed": typed,
            "numbers": numbers,
            "floats": floats,
            "whole_floats": whole_floats,
            "booleans": booleans,
            "with_null": with_null,
            "typed_with_null": typed_with_null,
            "mixed": mixed,
            "ones": ones,
            "objects": objects,
            "only_null": only_null,
            "narrowed": narrowed,
            "listed": listed,
        },
    )
