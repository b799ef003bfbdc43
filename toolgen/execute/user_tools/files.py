"""User files: files in a folder of a user's home, read only if no other user can have written them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.files import is_inside, open_file, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST: Final = 1024 * 1024
"""Maximum size of a file, in bytes."""

_ROOT: Final = 0


class UserFile(NamedTuple):
    """A file by its name: its content, or why it is skipped."""

    name: str
    content: bytes = b""
    problem: str = ""


def user_files(home: str | Path, folder: str, suffix: str) -> Iterator[UserFile]:
    """Read the files of a folder in `home` whose names end in `suffix`, by name; none if there is no folder.

    Only regular files are read that belong to the user or root and that no other user may write. Links are followed
    inside the folder. Raises `CatalogError` for a folder that does not meet these conditions or is outside `home`.
    """
    place = Path(home, folder)
    if not os.path.lexists(place):
        return
    real, root = os.path.realpath(place), os.path.realpath(home)
    try:
        status = Path(real).stat()
        names = sorted(entry for entry in os.listdir(real) if entry.endswith(suffix))  # noqa: PTH208  # names are enough
    except OSError as error:
        raise CatalogError(f"{folder}: it is not a readable folder: {error.strerror}") from None
    if not is_inside(real, root):
        raise CatalogError(f"{folder}: it is a link that leads out of its home")
    if problem := _not_of_the_user(status):
        raise CatalogError(f"{folder}: {problem}")
    for name in names:
        try:
            yield UserFile(name, _read(os.path.join(real, name), real))  # noqa: PTH118  # texts throughout
        except (OSError, CatalogError) as error:
            yield UserFile(name, problem=str(error.strerror if isinstance(error, OSError) else error))


def _read(path: str, folder: str) -> bytes:
    real = os.path.realpath(path)
    if not is_inside(real, folder):
        raise CatalogError("it is a link that leads out of the folder")
    with open_file(real) as file:
        if problem := _not_of_the_user(os.fstat(file.fileno())):
            raise CatalogError(problem)
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise too_large(_LARGEST, path)
    return content


def _not_of_the_user(status: os.stat_result) -> str:
    """Return how another user may have written a file or a folder; empty if none can, or if the system has no users."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (os.geteuid(), _ROOT):
        return "it belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "users other than its owner may write it: run `chmod go-w` on it"
    return ""
