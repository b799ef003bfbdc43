"""Types of the tool `maps`, in `objects`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class MapsArgsRecordsValue(OpenModel):
    id_: Annotated[str, Field(alias="id")]


class MapsArgs(ClosedModel):
    """Args of `maps`: Objects without named fields."""

    counts: dict[str, int] | None = None
    lists: dict[str, list[str]] | None = None
    records: dict[str, MapsArgsRecordsValue] | None = None
    free: dict[str, JsonValue] | None = None
    sized: Annotated[dict[str, JsonValue], Field(min_length=1, max_length=2)] | None = None


MapsResult: TypeAlias = JsonValue
