"""Generated packages on disk: found by import name, read once, their modules imported on demand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic_core import from_json

from toolgen.contract.version import CONTRACT_VERSION
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.located import package_cache
from toolgen.schema.json_values import is_object
from toolgen.spec.derived import DERIVED, LARGEST, catalog_mark, is_derived_from, write_derived
from toolgen.spec.files import read_file

# The tools of a `catalog.json`, two lines each: parsed on access, so that loading only reads the file.

_START: Final = b'\n"tools": {\n'
_END: Final = b"\n},\n"


class ToolLines(Mapping[str, dict[str, Any]]):
    """Entries by ident, parsed on each access: the caller owns the returned dict."""

    def __init__(self, text: bytes, start: int, end: int) -> None:
        """Take pairs of lines, `"ident":` and `{...},`; the last has no comma. Raises ValueError for other lines."""
        self._text = text
        self._places: dict[str, int] = {}
        while start < end:
            key_end = text.index(b"\n", start, end)
            if text[key_end - 2 : key_end] != b'":':
                raise ValueError("it has a line without an ident")
            self._places[text[start + 1 : key_end - 2].decode()] = key_end + 1
            line_end = text.find(b"\n", key_end + 1, end)
            start = end if line_end < 0 else line_end + 1

    def __getitem__(self, ident: str) -> dict[str, Any]:
        """Parse one line. Raises KeyError, and `CatalogError` for a line that is not a JSON object."""
        start = self._places[ident]
        end = self._text.find(b"\n", start)
        try:
            return _object(self._text[start : None if end < 0 else end].removesuffix(b","))
        except ValueError as error:
            raise CatalogError(
                f"the entry of {ident} in catalog.json is damaged: {error}; run `toolgen build`"
            ) from None

    def __contains__(self, ident: object) -> bool:
        return ident in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_tool_lines(text: bytes) -> tuple[dict[str, Any], ToolLines]:
    """Split a catalog into the document without its tools, and the tools. Raises ValueError if it is not JSON.

    A reformatted catalog is read too, but more slowly.
    """
    start = text.find(_START) + len(_START)
    end = text.find(_END, start)
    first = text[start : text.find(b"\n", start)]
    if len(_START) <= start < end and first.endswith(b'":'):
        return _object(text[: start - len(_START) + 1] + text[end + len(_END) :]), ToolLines(text, start, end)
    document = _object(text)
    lines = [f"{json.dumps(ident)}:\n{json.dumps(tool)}" for ident, tool in document.pop("tools", {}).items()]
    rewritten = ",\n".join(lines).encode()
    return document, ToolLines(rewritten, 0, len(rewritten))


def _object(text: bytes) -> dict[str, Any]:
    value = from_json(text)
    if not is_object(value):
        raise ValueError("it is not a JSON object")
    return value


Side: TypeAlias = Literal["args", "result"]
"""The two sides of a tool that have a schema."""


_LARGEST: Final = 256 * 1024 * 1024
"""Maximum size in bytes of a package file. The catalog of 10,000 tools takes 11 MB."""


@dataclass(frozen=True, slots=True)
class Package:
    """The `catalog.json` of a generated package: its tools, and the rest of the document. Must not be modified."""

    document: Mapping[str, Any]
    tools: ToolLines


@package_cache
def read_package(package: str) -> Package:
    """Read the `catalog.json` of a generated package. Raises `CatalogError`."""
    try:
        text = read_package_file(package, "catalog.json")
    except FileNotFoundError:
        raise CatalogError(f"{package!r} is not a generated package: its folder has no catalog.json") from None
    except OSError as error:
        raise CatalogError(f"the catalog.json of {package!r} cannot be read: {error.strerror}") from None
    return parse_package(text, package)


def parse_package(text: bytes, package: str) -> Package:
    """Parse the `catalog.json` of a package, which is called `package` in messages. Raises `CatalogError`."""
    try:
        document, tools = read_tool_lines(text)
    except ValueError as error:
        raise CatalogError(f"the catalog.json of {package!r} is damaged: {error}; run `toolgen build`") from None
    contract = document.get("contract")
    if contract != CONTRACT_VERSION:
        is_newer = isinstance(contract, int) and contract > CONTRACT_VERSION
        raise CatalogError(
            f"{package!r} was generated for contract {contract}, and this toolgen has contract {CONTRACT_VERSION}: "
            f"{'upgrade toolgen' if is_newer else 'run `toolgen build` with this version'}"
        )
    return Package(document, tools)


def type_of(package: str, tool: Mapping[str, Any], side: Side) -> Any:
    """Import the type of one side of a tool; None if its values are plain JSON."""
    path: str | None = tool.get(f"{side}_type")
    if path is None:
        return None
    module, _, name = path.partition(":")
    return getattr(import_module(f"{package}.{module}"), name)


def read_package_file(package: str, name: str) -> bytes:
    """Read a file in a generated package. Raises `CatalogError` if there is no such package, and OSError."""
    return read_file(package_folder(package) / name, _LARGEST)


def package_folder(package: str) -> Path:
    """Return the folder of a package, by its import name. Raises `CatalogError` if there is none, as in an archive."""
    try:
        spec = find_spec(package)
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise CatalogError(f"the package {package!r} cannot be imported: run `toolgen build`, or fix the import path")
    folder = Path(spec.origin).parent
    if not folder.is_dir():
        raise CatalogError(f"the package {package!r} is in an archive, but its files are read from a folder: unpack it")
    return folder


# Derived data of generated packages: read if it exists and matches the catalog, regenerated otherwise.


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
