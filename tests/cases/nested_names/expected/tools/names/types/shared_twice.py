"""Types of the tool `shared_twice`, in `names`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SharedTwiceArgsLeftItem(ClosedModel):
    a: str


class SharedTwiceArgsLeft(ClosedModel):
    item: SharedTwiceArgsLeftItem


class SharedTwiceArgsLeftItem_7a2e2e(ClosedModel):
    d: str


class SharedTwiceArgsListItemItem(ClosedModel):
    c: str


class SharedTwiceArgsListItem(ClosedModel):
    item: SharedTwiceArgsListItemItem


class SharedTwiceArgsRightItem(ClosedModel):
    b: str


class SharedTwiceArgsRight(ClosedModel):
    item: SharedTwiceArgsRightItem


class SharedTwiceArgs(ClosedModel):
    """Args of `shared_twice`: Two fields in different places with one name each."""

    left: SharedTwiceArgsLeft
    right: SharedTwiceArgsRight
    list_: Annotated[list[SharedTwiceArgsListItem], Field(alias="list")]
    left_item: SharedTwiceArgsLeftItem_7a2e2e | None = None


SharedTwiceResult: TypeAlias = JsonValue
