"""Call builders of `forms`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.arrays import ArraysArgsPointsItem
    from .types.nested import NestedArgsOuter
    from .types.shared import Box


def new_arrays_call(
    *,
    words: list[str],
    boxes: list[Box],
    grid: list[list[int | float]],
    points: list[ArraysArgsPointsItem],
    things: list[JsonValue] | None = None,
) -> ToolRequest:
    """Ask for `forms.arrays`: Arrays of everything.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ARRAYS,
        codecs.ARRAYS_ARGS,
        {"words": words, "boxes": boxes, "grid": grid, "points": points, "things": things},
    )


def new_nested_call(*, outer: NestedArgsOuter) -> ToolRequest:
    """Ask for `forms.nested`: Fields in fields are objects in objects.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NESTED, codecs.NESTED_ARGS, {"outer": outer})


def new_nothing_call() -> ToolRequest:
    """Ask for `forms.nothing`: No args at all, and any result.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NOTHING, codecs.NOTHING_ARGS, {})


def new_words_call(
    *,
    string: str,
    integer: int,
    number: int | float,
    boolean: bool,
    object_: dict[str, JsonValue],
    null: None,
    any_: JsonValue,
) -> ToolRequest:
    """Ask for `forms.words`: Every type word.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.WORDS,
        codecs.WORDS_ARGS,
        {
            "string": string,
            "integer": integer,
            "number": number,
            "boolean": boolean,
            "object": object_,
            "null": null,
            "any": any_,
        },
    )
