"""Loaded package: whether a build has replaced the package whose tools are shown, since it was loaded."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.packages import package_folder
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST: Final = 256 * 1024 * 1024


class LoadedPackage:
    """The `catalog.json` of a package, by its import name, as it was when this was created. Empty for no package."""

    def __init__(self, package: str) -> None:
        self._file = package_folder(package) / "catalog.json" if package else None
        self._is_replaced = False
        self._state = self._digest = ""
        if self._file is not None:
            self._state, self._digest = _state(self._file), _digest(self._file)

    def is_replaced(self) -> bool:
        """Whether the file has other content now. It is read only if its state differs from that of the last look."""
        if self._file is None:
            return False
        state = _state(self._file)
        if state != self._state:
            self._state = state
            self._is_replaced = _digest(self._file) != self._digest
        return self._is_replaced


def _state(file: Path) -> str:
    try:
        found = file.stat()
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _digest(file: Path) -> str:
    try:
        return sha256(read_file(file, _LARGEST)).hexdigest()
    except OSError:
        return ""
