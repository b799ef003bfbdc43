"""The table of importers: `toolgen import NAME`; each is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from toolgen.cli.importers.importer import Importer

IMPORTERS: Final[Mapping[str, tuple[str, str]]] = {
    "mcp": ("mcp", "McpImporter"),
    "openapi": ("openapi", "OpenApiImporter"),
    "python": ("python", "PythonImporter"),
}
"""By name, a module of this folder, and the importer in it."""


def importer_named(name: str) -> Importer[Any, Any]:
    """Return an importer by name. Raises KeyError for an unknown one."""
    module, attribute = IMPORTERS[name]
    return cast("Importer[Any, Any]", getattr(import_module(f"{__name__}.{module}"), attribute)())
