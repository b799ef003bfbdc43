"""Types of the tool `names`, in `crm.contacts`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class NamesArgsX(ClosedModel):
    y: str


class NamesArgs(ClosedModel):
    """Args of `names`: Injected fields called like names of the function."""

    x: NamesArgsX | None = None


NamesResult: TypeAlias = str
