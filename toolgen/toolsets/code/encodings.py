"""Encodings of text files: detected by their first bytes, and kept when the file is changed."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from mimetypes import MimeTypes
from typing import TYPE_CHECKING, Final

from toolgen.execute.paths.access import shown
from toolgen.runtime.base.errors import rejected

if TYPE_CHECKING:
    from toolgen.runtime.base.errors import CallFailed

SAMPLE_BYTES: Final = 8192
"""How much of a file is examined to detect binary files: a NUL in it makes it binary, as for git."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec, and a byte order mark, if any."""

    codec: str
    mark: bytes = b""


# The order matters: the mark of UTF-32 LE begins with that of UTF-16 LE.
_MARKED: Final = (
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)


_TYPES: Final = MimeTypes()
"""Python's own table: what is installed beside it does not count."""


def detect(sample: bytes) -> Encoding | None:
    """Detect the encoding of a file by its first bytes; None for a binary file. Without a mark it is UTF-8."""
    for encoding in _MARKED:
        if sample.startswith(encoding.mark):
            return encoding
    return None if b"\0" in sample[:SAMPLE_BYTES] else Encoding("utf-8")


def binary_file(path: str, size: int) -> CallFailed:
    """Describe a binary file by its path as it was given, and its size in bytes."""
    kind = _TYPES.guess_type(path)[0] or "of unknown type"
    return rejected("binary_file", f"{shown(path)} is a binary file of {size} bytes, {kind}; its content is not shown")
