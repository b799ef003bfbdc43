"""Types of the tool `add`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AddArgs(ClosedModel):
    """Args of `add`: Add."""


AddResult: TypeAlias = JsonValue
