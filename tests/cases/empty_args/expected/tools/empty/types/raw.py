"""Types of the tool `raw`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class RawArgs(OpenModel):
    """Args of `raw`: An open object."""


RawResult: TypeAlias = JsonValue
