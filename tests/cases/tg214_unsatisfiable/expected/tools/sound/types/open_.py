"""Types of the tool `open`, in `sound`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class OpenArgs(OpenModel):
    """Args of `open`: A field that is required and not described."""


OpenResult: TypeAlias = JsonValue
