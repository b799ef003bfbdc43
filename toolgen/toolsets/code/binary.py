"""What is said of a file that is not text: its size and its type, and nothing of its content."""

from __future__ import annotations

from mimetypes import MimeTypes
from typing import TYPE_CHECKING, Final

from toolgen.execute.paths.access import rejected, shown

if TYPE_CHECKING:
    from toolgen.runtime.base.errors import CallFailed


_TYPES: Final = MimeTypes()
"""Python's own table: what is installed beside it does not count."""


def binary_file(path: str, size: int) -> CallFailed:
    """Describe a binary file by its path as it was given, and its size in bytes."""
    kind = _TYPES.guess_type(path)[0] or "of unknown type"
    return rejected("binary_file", f"{shown(path)} is a binary file of {size} bytes, {kind}; its content is not shown")
