"""Types of the tool `choice`, in `results`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class ChoiceArgs(ClosedModel):
    """Args of `choice`: One of some words."""


ChoiceResult: TypeAlias = Literal["a", "b"]
