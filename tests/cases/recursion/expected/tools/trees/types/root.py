"""Types of the tool `root`, in `trees`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class RootArgs(ClosedModel):
    """Args of `root`: The args themselves, all the way down."""

    name: str
    inner: RootArgs | None = None


RootResult: TypeAlias = list[list[JsonValue]]
