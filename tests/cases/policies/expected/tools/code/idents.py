"""Idents of the tools of `code`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.edit_file import EditFileArgs, EditFileResult
    from .types.fetch import FetchArgs, FetchResult
    from .types.read_file import ReadFileArgs, ReadFileResult
    from .types.run import RunArgs, RunResult

EDIT_FILE: Final[Ident[EditFileArgs, EditFileResult]] = Ident("code.edit_file")
"""Edit a file."""

FETCH: Final[Ident[FetchArgs, FetchResult]] = Ident("code.fetch")
"""Fetch a page."""

READ_FILE: Final[Ident[ReadFileArgs, ReadFileResult]] = Ident("code.read_file")
"""Read a file."""

RUN: Final[Ident[RunArgs, RunResult]] = Ident("code.run")
"""Run a program."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    EDIT_FILE,
    FETCH,
    READ_FILE,
    RUN,
)
"""Every tool of this toolset."""
