"""Types of the tool `same`, in `crm.contacts`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Contact


class SameArgs(ClosedModel):
    """Args of `same`: The same shapes on both sides."""

    query: str


SameResult: TypeAlias = list[Contact]
