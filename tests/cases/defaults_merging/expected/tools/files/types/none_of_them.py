"""Types of the tool `none_of_them`, in `files`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NoneOfThemArgs(ClosedModel):
    """Args of `none_of_them`: Replaces the rest."""

    name: str
    session: str


NoneOfThemResult: TypeAlias = JsonValue
