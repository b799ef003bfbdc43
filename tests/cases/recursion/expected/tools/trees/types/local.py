"""Types of the tool `local`, in `trees`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class LocalArgsBranch(ClosedModel):
    branches: list[LocalArgsBranch] | None = None


class LocalArgs(OpenModel):
    """Args of `local`: A local definition that contains itself."""

    tree: LocalArgsBranch | None = None


LocalResult: TypeAlias = JsonValue
