"""Types of the methods that tools are bound to, in `orchestrator.profiles`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Profile


class UpsertPayload(ClosedModel):
    tenant_id: str
    name: str
    email: str | None = None


class FindPayloadFilter(ClosedModel):
    name_like: str


class FindPayloadPage(ClosedModel):
    size: int
    after: str | None = None


class FindPayload(ClosedModel):
    filter_: Annotated[FindPayloadFilter, Field(alias="filter")]
    page: FindPayloadPage


class FindMethodResult(ClosedModel):
    hits: list[Profile]
    total: int


UpsertMethodResult: TypeAlias = Profile
