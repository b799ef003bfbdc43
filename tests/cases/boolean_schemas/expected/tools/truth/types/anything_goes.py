"""Types of the tool `anything_goes`, in `truth`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class AnythingGoesArgs(OpenModel):
    """Args of `anything_goes`: Args that take whatever object comes."""


AnythingGoesResult: TypeAlias = JsonValue
