"""Types of the tool `HTTPServer2`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class HTTPServer2Args(ClosedModel):
    """Args of `HTTPServer2`: Capitals and digits."""


HTTPServer2Result: TypeAlias = JsonValue
