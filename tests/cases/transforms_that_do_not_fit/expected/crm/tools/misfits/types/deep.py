"""Types of the tool `deep`, in `crm.misfits`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class DeepArgsFilter(ClosedModel):
    a: int


class DeepArgs(ClosedModel):
    """Args of `deep`: The difference is further in."""

    filter_: Annotated[DeepArgsFilter, Field(alias="filter")]


class DeepResultItemsItem(ClosedModel):
    a: str
    b: str | None = None


class DeepResult(ClosedModel):
    """Result of `deep`: The difference is further in."""

    items: list[DeepResultItemsItem]
