"""Types of the tool `package`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PackageArgs(ClosedModel):
    """Args of `package`: The name of the root."""

    PACKAGE: str


PackageResult: TypeAlias = JsonValue
