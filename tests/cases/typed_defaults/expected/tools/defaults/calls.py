"""Call builders of `defaults`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.shared import Level, Point


def new_draw_call(
    *,
    level: Level,
    text: str | None = None,
    count: int | None = None,
    ratio: int | float | None = None,
    on: bool | None = None,
    nothing: str | None | Absent = ABSENT,
    words: list[str] | None = None,
    empty: list[str] | None = None,
    any_list: list[JsonValue] | None = None,
    map_: dict[str, int] | None = None,
    no_map: dict[str, JsonValue] | None = None,
    point: Point | None = None,
    points: list[Point] | None = None,
    beside: Level | None = None,
    mixed: JsonValue | Absent = ABSENT,
    anything: JsonValue | Absent = ABSENT,
    either: int | str | None = None,
    big: int | None = None,
) -> ToolRequest:
    """Ask for `defaults.draw`: Draw something.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.DRAW,
        codecs.DRAW_ARGS,
        {
            "level": level,
            "text": text,
            "count": count,
            "ratio": ratio,
            "on": on,
            "nothing": nothing,
            "words": words,
            "empty": empty,
            "any_list": any_list,
            "map": map_,
            "no_map": no_map,
            "point": point,
            "points": points,
            "beside": beside,
            "mixed": mixed,
            "anything": anything,
            "either": either,
            "big": big,
        },
    )
