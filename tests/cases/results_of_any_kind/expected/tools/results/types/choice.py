"""Types of the tool `choice`, in `results`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


ChoiceResult: TypeAlias = Literal["a", "b"]


class ChoiceArgs(ClosedModel):
    """Args of `choice`: One of some words."""
