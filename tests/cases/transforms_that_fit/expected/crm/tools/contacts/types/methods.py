"""Types of the methods that tools are bound to, in `crm.contacts`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel, OpenModel

from .shared import Contact, Email


class SavePayload(ClosedModel):
    tenant_id: str
    name: str
    emails: list[Email] | None = None
    tag: str | None = None
    trace: str | None = None
    limit: int


class SamePayload(ClosedModel):
    query: str


class NestedPayloadFilterDeep(ClosedModel):
    level: int


class NestedPayloadFilter(ClosedModel):
    text: str
    deep: NestedPayloadFilterDeep | None = None


class NestedPayload(ClosedModel):
    filter_: Annotated[NestedPayloadFilter, Field(alias="filter")]
    from_: Annotated[str | None, Field(alias="from")] = None
    class_: Annotated[Literal["a", "b"], Field(alias="class")]


class NestedMethodResultItemsItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    note: str | None = None


class NestedMethodResult(ClosedModel):
    items: list[NestedMethodResultItemsItem]
    next_: Annotated[str | None, Field(alias="next")] = None


class OpenPayload(OpenModel):
    a: str


class OpenMethodResult(OpenModel):
    b: int | None = None


class NamesPayloadX(ClosedModel):
    y: str


class NamesPayload(ClosedModel):
    args: str
    result: str
    made: str
    rebuilt_: Annotated[str, Field(alias="rebuilt")]
    x: NamesPayloadX | None = None


SaveMethodResult: TypeAlias = Contact

SameMethodResult: TypeAlias = list[Contact]

NamesMethodResult: TypeAlias = str
