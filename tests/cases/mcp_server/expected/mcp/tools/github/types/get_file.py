"""Types of the tool `get_file`, in `mcp.github`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class GetFileArgs(ClosedModel):
    """Args of `get_file`: Read a file."""

    path: str


GetFileResult: TypeAlias = JsonValue
