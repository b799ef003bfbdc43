"""Types of the tool `nothing_like`, in `choices`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class NothingLikeArgs(OpenModel):
    """Args of `nothing_like`: Anything but."""

    code: JsonValue | None = None
    word: str | None = None


NothingLikeResult: TypeAlias = JsonValue
