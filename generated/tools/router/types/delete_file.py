"""Types of the tool `delete_file`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DeleteFileArgs(ClosedModel):
    """Args of `delete_file`: Delete one file."""

    path: str


DeleteFileResult: TypeAlias = JsonValue
