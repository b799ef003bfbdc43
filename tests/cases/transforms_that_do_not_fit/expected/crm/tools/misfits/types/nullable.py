"""Types of the tool `nullable`, in `crm.misfits`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class NullableArgs(ClosedModel):
    """Args of `nullable`: Null on one side only."""

    text: str


NullableResult: TypeAlias = list[str | None]
