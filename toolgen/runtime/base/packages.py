"""Generated packages on disk: found by import name, read once, their modules imported on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.contract.version import CONTRACT_VERSION
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.tool_lines import ToolLines, read_tool_lines
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

Side: TypeAlias = Literal["args", "result"]
"""The two sides of a tool that have a schema."""


_LARGEST: Final = 256 * 1024 * 1024
"""Maximum size in bytes of a package file. The catalog of 10,000 tools takes 11 MB."""


@dataclass(frozen=True, slots=True)
class Package:
    """The `catalog.json` of a generated package: its tools, and the rest of the document. Must not be modified."""

    document: Mapping[str, Any]
    tools: ToolLines


@cache
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
        raise CatalogError(
            f"{package!r} was generated for contract {contract}, and this toolgen has contract {CONTRACT_VERSION}: "
            "run `toolgen build` with this version"
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
    """Return the folder of a package, by its import name. Raises `CatalogError` if there is none."""
    try:
        spec = find_spec(package)
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise CatalogError(f"the package {package!r} cannot be imported: run `toolgen build`, or fix the import path")
    return Path(spec.origin).parent
