"""Types of the methods that tools are bound to, in `crm.misfits`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class FindPayload(ClosedModel):
    filter_: Annotated[str, Field(alias="filter")]
    size: int


class FindMethodResult(ClosedModel):
    hits: list[str]
    total: int


class CountPayload(ClosedModel):
    text: int


class OptionalPayload(ClosedModel):
    text: str


class OptionalMethodResult(ClosedModel):
    value: str | None = None


class OpenPayload(ClosedModel):
    text: str


class OpenMethodResult(OpenModel):
    a: str | None = None


class DeepPayloadFilter(ClosedModel):
    a: str


class DeepPayload(ClosedModel):
    filter_: Annotated[DeepPayloadFilter, Field(alias="filter")]


class DeepMethodResultItemsItem(ClosedModel):
    a: str


class DeepMethodResult(ClosedModel):
    items: list[DeepMethodResultItemsItem]


class NullablePayload(ClosedModel):
    text: str | None


class DefaultPayload(ClosedModel):
    size: int = 10


class DefaultMethodResult(OpenModel):
    a: str | None = None
    b: str | None = None


CountMethodResult: TypeAlias = int

NullableMethodResult: TypeAlias = list[str]
