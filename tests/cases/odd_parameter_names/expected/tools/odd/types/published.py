"""Types of the tool `published`, in `odd`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class PublishedArgs(OpenModel):
    pass


PublishedResult: TypeAlias = JsonValue
