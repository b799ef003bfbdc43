"""Types of the tool `nested`, in `crm.contacts`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class NestedArgsFilterDeep(ClosedModel):
    level: int


class NestedArgsFilter(ClosedModel):
    text: str
    deep: NestedArgsFilterDeep | None = None


class NestedArgs(ClosedModel):
    """Args of `nested`: Objects in objects are classes of their own on each side, and are made anew."""

    filter_: Annotated[NestedArgsFilter, Field(alias="filter")]
    since: Annotated[str | None, Field(alias="from")] = None
    class_: Annotated[Literal["a", "b"], Field(alias="class")]


class NestedResultItemsItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    note: str | None = None


class NestedResult(ClosedModel):
    """Result of `nested`: Objects in objects are classes of their own on each side, and are made anew."""

    items: list[NestedResultItemsItem]
    next_: Annotated[str | None, Field(alias="next")] = None
