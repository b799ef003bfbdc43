"""Types of the tool `edit_file`, in `code`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class EditFileArgs(ClosedModel):
    """Args of `edit_file`: Edit a file."""

    path: str
    text: str


EditFileResult: TypeAlias = JsonValue
