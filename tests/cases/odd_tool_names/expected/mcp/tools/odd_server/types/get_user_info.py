"""Types of the tool `get-user-info`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class GetUserInfoArgs(ClosedModel):
    """Args of `get-user-info`: Spaces and dashes; the key may have dashes too."""


GetUserInfoResult: TypeAlias = JsonValue
