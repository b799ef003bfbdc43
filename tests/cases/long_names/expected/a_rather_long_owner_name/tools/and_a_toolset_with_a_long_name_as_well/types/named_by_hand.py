"""Types of the tool `named_by_hand`, in `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NamedByHandArgs(ClosedModel):
    """Args of `named_by_hand`: With a wire name of its own."""


NamedByHandResult: TypeAlias = JsonValue
