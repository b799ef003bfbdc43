"""Derived data of a generated package: files made from its `catalog.json`, which nobody reads in a review.

They lie in a folder of the package that git ignores and that a wheel ships. Each says, near its start, of which catalog
it was made (`catalog_mark`); one that is missing, or of another catalog, is made again by whoever needs it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

DERIVED: Final = "_derived"
"""The folder, directly below the package."""

LARGEST: Final = 256 * 1024 * 1024
"""In bytes: a file of derived data. The search index of 10,000 tools takes 5 MB."""

_MARKED: Final = 1024
"""Bytes at the start of a file among which its mark is looked for."""

_IGNORED: Final = "# Made by toolgen from catalog.json, and made again where it is missing.\n*\n"


def catalog_mark(catalog: bytes) -> str:
    """Return what a file that was made of this `catalog.json` says of it: a member of a JSON object."""
    return f'"catalog": "{sha256(catalog).hexdigest()}"'


def is_derived_from(text: bytes, mark: str) -> bool:
    """Return whether a file of derived data says that it was made of the catalog of that mark."""
    return mark.encode() in text[:_MARKED]


def write_derived(package: Path, name: str, content: bytes) -> bool:
    """Put a file of derived data into the folder of a package, whole or not at all.

    Gives False where that is not possible: the package lies where nothing can be written, or the folder is a link.
    """
    folder = package / DERIVED
    beside = folder / f".{name}.{os.getpid()}"
    try:
        folder.mkdir(exist_ok=True)
        if folder.is_symlink():
            return False
        if not (folder / ".gitignore").exists():
            _replace(folder / ".gitignore", folder / f".gitignore.{os.getpid()}", _IGNORED.encode())
        _replace(folder / name, beside, content)
    except OSError:
        return False
    return True


def _replace(place: Path, beside: Path, content: bytes) -> None:
    try:
        with beside.open("xb") as file:
            file.write(content)
        beside.replace(place)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
