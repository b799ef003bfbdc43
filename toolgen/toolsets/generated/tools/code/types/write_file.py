"""Types of the tool `write_file`, in `code`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class WriteFileArgs(ClosedModel):
    """Args of `write_file`: Write a whole file. An existing file is kept unless `overwrite` is true."""

    path: str
    content: str
    create_dirs: bool = True
    overwrite: bool = False


class WriteFileResult(ClosedModel):
    """Result of `write_file`: Write a whole file. An existing file is kept unless `overwrite` is true."""

    bytes_written: int
    created: bool
