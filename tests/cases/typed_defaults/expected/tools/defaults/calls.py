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
    text: str = 'say "hi"\n\\',
    count: int = 3,
    ratio: int | float = 1,
    on: bool = True,
    nothing: str | None | Absent = ABSENT,
    words: list[str] | None = None,
    empty: list[str] | None = None,
    any_list: list[JsonValue] | None = None,
    map_: dict[str, int] | None = None,
    no_map: dict[str, JsonValue] | None = None,
    point: Point | None = None,
    points: list[Point] | None = None,
    beside: Level = "high",
    mixed: JsonValue = 1,
    anything: JsonValue | Absent = ABSENT,
    either: int | str = "x",
    big: int = 123456789012345678901234567890,
) -> ToolRequest:
    """Ask for `defaults.draw`: Draw something.

    Args:
        words: Default: ["a", "b"]
        empty: Default: []
        any_list: Default: []
        map_: Default: {"a": 1}
        no_map: Default: {}
        point: Default: {"x": 2}
        points: Default: [{}, {"y": 1}]
        anything: Default: {"a": [1]}

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
        {
            "text": 'say "hi"\n\\',
            "count": 3,
            "ratio": 1,
            "on": True,
            "beside": "high",
            "mixed": 1,
            "either": "x",
            "big": 123456789012345678901234567890,
        },
    )
