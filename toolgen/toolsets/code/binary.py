"""The error for binary files: size and type, without content."""

from __future__ import annotations

from mimetypes import MimeTypes
from typing import TYPE_CHECKING, Final

from toolgen.execute.paths.access import rejected, shown

if TYPE_CHECKING:
    from toolgen.runtime.base.errors import CallFailed


_TYPES: Final = MimeTypes()
"""Python's built-in table, without system files."""


def binary_file(path: str, size: int) -> CallFailed:
    """Return the error for a binary file, given its requested path and its size in bytes."""
    kind = _TYPES.guess_type(path)[0] or "of unknown type"
    return rejected("binary_file", f"{shown(path)} is a binary file of {size} bytes, {kind}; its content is not shown")
