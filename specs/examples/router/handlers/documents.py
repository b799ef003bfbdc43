"""Documents: the docs and the source of this example, to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from specs.examples.router.handlers.refusals import not_found

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIXES: Final = (".md", ".py", ".yaml")


class Documents:
    """The texts below a folder. Only what is listed can be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def paths(self, prefix: str = "") -> list[str]:
        """List the paths that start with a prefix, below the folder and with `/`, sorted."""
        files = (file for file in self._folder.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
        paths = (file.relative_to(self._folder).as_posix() for file in files)
        return sorted(path for path in paths if path.startswith(prefix))

    def read(self, path: str) -> str:
        """Give a document. Raises `CallFailed` with `document_not_found`."""
        paths = self.paths()
        if path not in paths:
            raise not_found("document", path, paths)
        return (self._folder / path).read_text(encoding="utf-8")
