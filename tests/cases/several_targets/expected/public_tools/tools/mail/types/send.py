"""Types of the tool `send`, in `mail`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SendArgs(ClosedModel):
    """Args of `send`: Send mail."""

    to: Annotated[str, Field(min_length=3)]


SendResult: TypeAlias = JsonValue
