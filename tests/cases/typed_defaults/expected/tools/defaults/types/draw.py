"""Types of the tool `draw`, in `defaults`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.building import typed_default
from toolgen.runtime.codec.models import ClosedModel

from .shared import Level, Point


class DrawArgs(ClosedModel):
    """Args of `draw`: Draw something."""

    text: str = 'say "hi"\n\\'
    count: int = 3
    ratio: int | float = 1
    on: bool = True
    nothing: str | None = None
    words: list[str] = Field(default_factory=lambda: typed_default(list[str], ["a", "b"]))
    empty: list[str] = Field(default_factory=list[str])
    any_list: list[JsonValue] = Field(default_factory=list[JsonValue])
    map_: Annotated[dict[str, int], Field(alias="map")] = Field(
        default_factory=lambda: typed_default(dict[str, int], {"a": 1})
    )
    no_map: dict[str, JsonValue] = Field(default_factory=lambda: typed_default(dict[str, JsonValue], {}))
    point: Point = Field(default_factory=lambda: typed_default(Point, {"x": 2}))
    points: list[Point] = Field(default_factory=lambda: typed_default(list[Point], [{}, {"y": 1}]))
    level: Level
    beside: Level = "high"
    mixed: JsonValue = 1
    anything: JsonValue = Field(default_factory=lambda: typed_default(JsonValue, {"a": [1]}))
    either: int | str = "x"
    big: int = 123456789012345678901234567890


DrawResult: TypeAlias = JsonValue
