"""Types that several tools share, in `trees`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class Node(ClosedModel):
    value: int
    next_: Annotated[Node | None, Field(alias="next")] = None


class Tree(ClosedModel):
    label: str
    children: list[Tree]


class File(ClosedModel):
    name: str
    folder: Folder | None = None


class Folder(ClosedModel):
    name: str
    files: list[File]
    parent: Folder | None = None


class ExpressionOption1(ClosedModel):
    value: int | float


class ExpressionOption2(ClosedModel):
    left: JsonValue
    right: JsonValue


class Rule(OpenModel):
    all_: Annotated[list[JsonValue], Field(alias="all")]


class Test(ClosedModel):
    field: str
    value: JsonValue


Menu: TypeAlias = dict[str, JsonValue]

Names: TypeAlias = list[JsonValue]

Json: TypeAlias = str | int | float | list[JsonValue] | dict[str, JsonValue]

Expression: TypeAlias = ExpressionOption1 | ExpressionOption2

File.model_rebuild()
