"""Types of the tool `options`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class OptionsArgs(ClosedModel):
    """Args of `options`: Objects without names of their own."""


class OptionsResultOption1(OpenModel):
    a: str


class OptionsResultOption2(OpenModel):
    b: str


OptionsResult: TypeAlias = OptionsResultOption1 | OptionsResultOption2
