"""Disk: all file system changes of publishing; a crash can occur before or after each method."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from toolgen.spec.writing import flush_to_disk, write_new

if TYPE_CHECKING:
    from collections.abc import Sequence

_MANY: Final = 64


class Disk:
    """The real file system. Paths are those of the operating system; every method raises OSError."""

    def make_folder(self, path: str) -> None:
        """Create a folder whose parent exists."""
        os.mkdir(path)

    def write(self, path: str, content: bytes) -> None:
        """Write a new file. It survives a crash immediately, a power failure after `flush`."""
        write_new(path, content)

    def keep(self, path: str, copy: str) -> None:
        """Create a hard link to a file, which outlives the original name; a copy if hard links are not supported."""
        try:
            os.link(path, copy)
        except OSError:
            with open(path, "rb") as file:
                self.write(copy, file.read())

    def flush(self, paths: Sequence[str]) -> None:
        """Wait until the changes to these files and folders survive a power failure.

        Many are flushed by one `sync`, which Linux completes before it returns: a thousand calls of `fsync` take
        five times as long, and seconds on a slow disk.
        """
        if sys.platform == "linux" and len(paths) > _MANY:
            os.sync()
            return
        for path in paths:
            flush_to_disk(path)

    def rename(self, source: str, destination: str) -> None:
        """Move a file; one at the destination is replaced atomically."""
        os.replace(source, destination)

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        os.unlink(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(path)
