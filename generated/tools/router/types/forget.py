"""Types of the tool `forget`, in `router`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ForgetArgs(ClosedModel):
    """Args of `forget`: Delete a memory record."""

    slug: str
    layer: Literal["shared", "agent"]


ForgetResult: TypeAlias = JsonValue
