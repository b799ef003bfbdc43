"""Types of the tool `read_file`, in `code`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ReadFileArgs(ClosedModel):
    """Args of `read_file`: Read a file."""

    path: str


ReadFileResult: TypeAlias = JsonValue
