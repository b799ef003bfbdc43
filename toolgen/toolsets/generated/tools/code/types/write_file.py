"""Types of the tool `write_file`, in `code`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class WriteFileArgs(ClosedModel):
    path: str
    content: str
    create_dirs: bool = True
    overwrite: bool = False


class WriteFileResult(ClosedModel):
    bytes_written: int
    created: bool
