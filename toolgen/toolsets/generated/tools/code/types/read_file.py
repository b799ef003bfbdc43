"""Types of the tool `read_file`, in `code`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class ReadFileArgs(ClosedModel):
    """Args of `read_file`: Read a text file by lines."""

    path: str
    """File to read, relative to the project."""
    start_line: Annotated[int, Field(ge=1)] = 1
    max_lines: Annotated[int, Field(ge=1, le=1000)] = 200


class ReadFileResult(ClosedModel):
    """Result of `read_file`: Read a text file by lines."""

    content: str
    start_line: int
    truncated: bool
    next_start_line: int | None = None
    truncated_lines: list[int]
