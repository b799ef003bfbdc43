"""Types that several tools share, in `orchestrator.profiles`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Profile(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    name: str
    email: str | None = None
