"""Types of the tool `tree`, in `drafts.nineteen`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class TreeArgs(OpenModel):
    """Args of `tree`: A schema in itself, by the name that it has wherever it stands."""

    child: JsonValue | None = None


TreeResult: TypeAlias = JsonValue
