"""Generated packages on disk: found by import name, read once, nothing in them imported before it is needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic_core import from_json

from toolgen.contract.version import CONTRACT_VERSION
from toolgen.runtime.errors import CatalogError
from toolgen.runtime.json_text import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

Side: TypeAlias = Literal["args", "result"]
"""The two sides of a tool that have a schema."""


@cache
def read_package(package: str) -> Mapping[str, Any]:
    """Read the `catalog.json` of a generated package. Not to be changed. Raises `CatalogError`."""
    text = _read(package, "catalog.json")
    try:
        document = from_json(text)
    except ValueError as error:
        raise CatalogError(f"the catalog.json of {package!r} is damaged: {error}; run `toolgen build`") from None
    contract = document.get("contract") if is_object(document) else None
    if contract != CONTRACT_VERSION:
        raise CatalogError(
            f"{package!r} was generated for contract {contract}, and this toolgen has contract {CONTRACT_VERSION}: "
            "run `toolgen build` with this version"
        )
    found: Mapping[str, Any] = document
    return found


def schema_of(tool: Mapping[str, Any], side: Side) -> Any:
    """Parse the JSON Schema of one side out of a tool's entry; a side without one takes anything."""
    return from_json(tool.get(side, "true"))


def type_of(package: str, tool: Mapping[str, Any], side: Side) -> Any:
    """Import the type of one side of a tool; None where there is none, and its values are plain JSON."""
    path: str | None = tool.get(f"{side}_type")
    if path is None:
        return None
    module, _, name = path.partition(":")
    return getattr(import_module(f"{package}.{module}"), name)


def _read(package: str, name: str) -> bytes:
    try:
        spec = find_spec(package)
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise CatalogError(f"no package {package!r} can be imported: run `toolgen build`, or mend the import path")
    try:
        return Path(spec.origin).with_name(name).read_bytes()
    except OSError:
        raise CatalogError(f"{package!r} is no generated package: no {name} lies beside its __init__.py") from None
