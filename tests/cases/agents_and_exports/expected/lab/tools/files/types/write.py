"""Types of the tool `write`, in `lab.files`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class WriteArgs(ClosedModel):
    """Args of `write`: Write a file."""

    path: str
    text: str


WriteResult: TypeAlias = JsonValue
