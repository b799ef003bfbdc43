"""Types of the tool `alone`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AloneArgs(ClosedModel):
    """Args of `alone`: A mark alone."""

    xe3b0c442: Annotated[str | None, Field(alias="")] = None


AloneResult: TypeAlias = JsonValue
