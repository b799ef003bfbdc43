"""Executors of a package, as the configuration names them: `executors = {"shop.orders" = "app:shop"}`."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.contract.records import ToolsetRegistration
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.compiler.config import Config
    from toolgen.runtime import Catalog


def configured_executor(config: Config, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """Import what runs a toolset. Raises click.UsageError for what is not configured, or fails."""
    place = config.executors.get(toolset)
    if place is None:
        raise click.UsageError(
            f'No executor is configured for `{toolset}`. Write `executors = {{"{toolset}" = "app:handlers"}}`.'
        )
    try:
        return _registration(config.root, place, catalog, toolset)
    except (Exception, SystemExit) as error:  # the project's own code may raise anything
        raise unusable(config, toolset, _raised(error, config.root)) from error


def unusable(config: Config, toolset: str, why: str) -> click.UsageError:
    """Return the error for an executor that is configured and cannot be used."""
    place = config.executors[toolset]
    return click.UsageError(f'executors."{toolset}" = "{place}" cannot be used: {visible(why)}')


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
