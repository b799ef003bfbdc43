"""Types of the tool `list`, in `mcp.local-files`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ListArgs(ClosedModel):
    """Args of `list`: List files."""


ListResult: TypeAlias = JsonValue
