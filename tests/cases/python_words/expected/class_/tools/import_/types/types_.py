"""Types of the tool `types_`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class TypesArgs(ClosedModel):
    pass


TypesResult: TypeAlias = JsonValue
