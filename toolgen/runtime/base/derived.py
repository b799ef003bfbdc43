"""Derived data of generated packages: read if it exists and matches the catalog, regenerated otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.packages import Package, package_folder
from toolgen.runtime.base.tool_lines import read_tool_lines
from toolgen.spec.derived import DERIVED, LARGEST, catalog_mark, is_derived_from, write_derived
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable


def derived_file(
    package: str, name: str, make: Callable[[Package, str], str], is_whole: Callable[[bytes], bool] = bool
) -> bytes:
    """Return a file of derived data of a generated package, by its import name.

    A file that is missing, incomplete or of another catalog is regenerated from the catalog and its mark, and written
    to the package if that is writable; otherwise each process generates it. Raises `CatalogError`.
    """
    folder = package_folder(package)
    try:
        catalog = read_file(folder / "catalog.json", LARGEST)
        document, tools = read_tool_lines(catalog)
    except OSError as error:
        raise CatalogError(f"the catalog.json of {package!r} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CatalogError(f"the catalog.json of {package!r} is damaged: {error}; run `toolgen build`") from None
    mark = catalog_mark(catalog)
    try:
        text = read_file(folder / DERIVED / name, LARGEST, follow=False)
    except OSError:
        text = b""
    if is_derived_from(text, mark) and is_whole(text):
        return text
    text = make(Package(document, tools), mark).encode()
    write_derived(folder, name, text)
    return text
