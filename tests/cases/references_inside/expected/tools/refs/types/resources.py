"""Types of the tool `resources`, in `refs`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


ResourcesResult: TypeAlias = Literal["ok", "failed"]


class ResourcesArgs(OpenModel):
    """Args of `resources`: A schema with an $id is a document of its own."""

    size: JsonValue | None = None
    local: JsonValue | None = None
