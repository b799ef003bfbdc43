"""Types of the tool `store`, in `vault`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class StoreArgsOptionsNestedItem(ClosedModel):
    key: str


class StoreArgsOptions(ClosedModel):
    token: str
    nested: list[StoreArgsOptionsNestedItem] | None = None


class StoreArgs(ClosedModel):
    """Args of `store`: Store a secret under a name."""

    name: str
    text: str | None = None
    file: str | None = None
    options: StoreArgsOptions | None = None
    session: str | None = None


class StoreResult(ClosedModel):
    """Result of `store`: Store a secret under a name."""

    id_: Annotated[str, Field(alias="id")]
    key: str
