"""Idents of the tools of `lab.files`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.read import ReadArgs, ReadResult
    from .types.write import WriteArgs, WriteResult

READ: Final[Ident[ReadArgs, ReadResult]] = Ident("lab.files.read")
"""Read a file."""

WRITE: Final[Ident[WriteArgs, WriteResult]] = Ident("lab.files.write")
"""Write a file."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    READ,
    WRITE,
)
"""Every tool of this toolset."""
