"""Types of the tool `read_file`, in `code`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class ReadFileArgs(ClosedModel):
    path: str


ReadFileResult: TypeAlias = JsonValue
