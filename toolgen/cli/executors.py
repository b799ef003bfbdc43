"""Executors of a package: those that the configuration names, and those that specs are enough for.

The configuration has `executors = {"shop.orders" = "app:shop"}`. Toolsets of kind `mcp` with a server, and of kind
`http`, need none.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.contract.records import ToolsetRegistration
from toolgen.runtime.base.errors import ExecutorError
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.compiler.config import Config
    from toolgen.runtime import Catalog


def find_executor(config: Config, catalog: Catalog, toolset: str) -> ToolsetRegistration | None:
    """Return what runs a toolset; None if neither the configuration nor its spec says.

    Raises click.UsageError for what cannot be imported, or has no credentials.
    """
    place = config.executors.get(toolset)
    if place is None:
        return _specified_executor(catalog, toolset)
    try:
        return _registration(config.root, place, catalog, toolset)
    except (Exception, SystemExit) as error:  # the project's own code may raise anything
        raise unusable(config, toolset, _raised(error, config.root)) from error


def executor_of(config: Config, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """Return what runs a toolset. Raises click.UsageError, also if there is nothing."""
    found = find_executor(config, catalog, toolset)
    if found is None:
        raise click.UsageError(
            f'No executor is configured for `{toolset}`. Write `executors = {{"{toolset}" = "app:handlers"}}`.'
        )
    return found


def unusable(config: Config, toolset: str, why: str) -> click.UsageError:
    """Return the error for an executor that is configured and cannot be used."""
    place = config.executors.get(toolset)
    where = toolset if place is None else f'executors."{toolset}" = "{place}"'
    return click.UsageError(f"{where} cannot be used: {visible(why)}")


def _specified_executor(catalog: Catalog, toolset: str) -> ToolsetRegistration | None:
    compiled = catalog.section("toolsets")[toolset]
    try:
        if compiled.get("kind") == "mcp" and "server" in compiled:
            from toolgen.execute import mcp

            return mcp.executor(catalog, toolset)
        if compiled.get("kind") == "http":
            from toolgen.execute import http

            return http.executor(catalog, toolset)
    except (ExecutorError, ImportError) as error:
        raise click.UsageError(f"{toolset}: {error}") from error
    return None


def _registration(root: Path, place: str, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """Import `module:name` and return its registration for a toolset. Raises whatever the project's code raises."""
    module, _, name = place.partition(":")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, ToolsetRegistration):
        return found
    dispatch = import_module(f"{catalog.package_of(toolset)}.dispatch")
    registration: ToolsetRegistration = dispatch.executor(found() if isinstance(found, type) else found)
    return registration


def _raised(error: BaseException, root: Path) -> str:
    """Describe an exception of the project's own code, with its location in the project."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if frame.filename != __file__ and Path(frame.filename).is_relative_to(root)]
    where = f" ({Path(places[-1].filename).relative_to(root).as_posix()}:{places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {error}{where}"
