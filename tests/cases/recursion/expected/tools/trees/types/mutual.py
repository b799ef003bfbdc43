"""Types of the tool `mutual`, in `trees`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import File, Folder


class MutualArgs(ClosedModel):
    """Args of `mutual`: Two types in each other."""

    folder: Folder
    file: File | None = None


MutualResult: TypeAlias = list[Folder]
