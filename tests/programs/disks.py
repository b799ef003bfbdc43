"""Small disks, which tests fill."""

from __future__ import annotations

import errno
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """Mount a file system of so many bytes at a folder, for the owner of the folder above.

    Where that is not permitted, the test is skipped.
    """
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},uid={folder.parent.stat().st_uid}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("a small file system for a full disk needs the right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """Fill what is left of the disk of a folder, as a context."""
    filler = folder / "filler"
    try:
        with filler.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                _write_until_full(file.write, bytes(size))
        yield
    finally:
        filler.unlink()


def _write_until_full(write: Callable[[bytes], object], data: bytes) -> None:
    try:
        while True:
            write(data)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
