"""Types of the tool `uebersetzen`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class UebersetzenArgs(ClosedModel):
    """Args of `uebersetzen`: Not ASCII either."""


UebersetzenResult: TypeAlias = JsonValue
