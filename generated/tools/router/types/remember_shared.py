"""Types of the tool `remember_shared`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Remembered


class RememberSharedArgs(ClosedModel):
    """Args of `remember_shared`: Store a memory record that every agent can read. One of the same name is replaced."""

    slug: Annotated[str, Field(max_length=64)]
    body: str


RememberSharedResult: TypeAlias = Remembered
