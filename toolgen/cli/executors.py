"""Executors of a package: those of the configuration (`executors = {"shop.orders" = "app:shop"}`), or of the specs."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.recordings import tell_left_out
from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.python.modules import HandlerModules
from toolgen.execute.reach import reached
from toolgen.execute.specified import specified_executor
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.catalog.execution import in_thread, keeps_to_policies
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.cli.consent import Consent
    from toolgen.compiler.project.config import Config
    from toolgen.execute.command import CommandHost
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.testing import Stubs


def consented(config: Config, catalog: Catalog, toolsets: Iterable[str], consent: Consent) -> Consent:
    """Ask whether the specs of toolsets may reach what they name. Raises click.UsageError without consent.

    A toolset that the configuration names code for is run by that, so that its spec reaches nothing.
    """
    consent.ask(each for toolset in toolsets if toolset not in config.executors for each in reached(catalog, toolset))
    return consent


def toolset_executor(config: Config, catalog: Catalog, toolset: str, consent: Consent) -> ToolsetRegistration | None:
    """Return what runs a toolset: what is configured, or what its spec names. None where it names nothing.

    A spec names the server of a toolset of kind `mcp`, the URL or the app of one of kind `http`, the programs of one of
    kind `command`, which run in the folder of the project, and the `handler` of a tool.
    Raises click.UsageError for what cannot be used, and for what `consent` does not allow.
    """
    if toolset in config.executors:
        return _configured(config, catalog, toolset)
    try:
        commands = _command_host(config) if _is_command(catalog, toolset) else None
        return specified_executor(catalog, toolset, handler_modules(config), consent.allows, commands)
    except (ExecutorError, ImportError) as error:
        raise click.UsageError(f"{toolset}: {visible(str(error))}") from error
    except (Exception, SystemExit) as error:  # handlers are imported, and may raise anything
        raise click.UsageError(
            f"{toolset}: its handlers cannot be imported: {visible(raised(error, config.root))}"
        ) from error


def _is_command(catalog: Catalog, toolset: str) -> bool:
    return bool(catalog.section("toolsets")[toolset].get("kind") == "command")


def _command_host(config: Config) -> CommandHost:
    from toolgen.execute.command import CommandHost
    from toolgen.runtime.policy.paths import PathPolicy  # few toolsets have commands

    return CommandHost(paths=PathPolicy(str(config.root)))


def _configured(config: Config, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """Import what the configuration names. Raises click.UsageError for what fails."""
    try:
        return _registration(config.executors[toolset], catalog, toolset)
    except (Exception, SystemExit) as error:  # the project's own code may raise anything
        raise unusable(config, toolset, raised(error, config.root)) from error


def stubbed(catalog: Catalog, toolsets: Collection[str] | None = None, file: str | None = None) -> Stubs:
    """Return stubs in place of what runs toolsets, by default all.

    `file` is a recording, whose calls that answer nothing are told. Raises click.UsageError for a file that is none.
    """
    from toolgen.testing import RecordingError, Stubs, recorded

    try:
        recording = None if file is None else recorded(file)
    except (RecordingError, ImportError) as error:
        raise click.UsageError(f"{visible(str(error))}.") from error
    stubs = Stubs(catalog, recording=recording, toolsets=toolsets, keeps_calls=False)
    if recording is not None:
        tell_left_out([*recording.left_out, *recording.stale])
    return stubs


def unusable(config: Config, toolset: str, why: str) -> click.UsageError:
    """Return the error for an executor that cannot be used."""
    place = config.executors.get(toolset)
    if place is None:
        return click.UsageError(f"{toolset}: {visible(why)}")
    return click.UsageError(f'executors."{toolset}" = "{place}" cannot be used: {visible(why)}')


def _registration(place: str, catalog: Catalog, toolset: str) -> ToolsetRegistration:
    """Import `module:name` and return its registration for a toolset. Raises whatever the project's code raises."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    is_command = _is_command(catalog, toolset)
    registered = found if isinstance(found, ToolsetRegistration) else None
    if registered is not None and (registered.handlers is None or not is_command):
        return registered
    if is_command:
        raise ExecutorError(
            "handlers would run in place of the programs of the spec; leave the toolset out of `executors`, or name "
            "what `command_executor` returns"
        )
    handlers: Any = found() if isinstance(found, type) else found
    registration: ToolsetRegistration
    if keeps_to_policies(handlers):
        registration = handlers.registration()
        return registration
    registration = import_module(catalog.package_of(toolset)).executor(handlers)
    return _in_threads(registration)


def _in_threads(registration: ToolsetRegistration) -> ToolsetRegistration:
    """Let sync handlers run in threads, as functions that specs name do: one that blocks must not stop other calls."""
    handlers = (registration.handlers or {}).items()
    threaded = {ident: one if iscoroutinefunction(one) else in_thread(one) for ident, one in handlers}
    return replace(registration, handlers=threaded)


@contextmanager
def stdout_kept() -> Generator[None]:
    """Send what code of the project and its programs write to stdout to stderr: stdout is the command's."""
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of them is closed
        kept = -1
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept >= 0:
            os.dup2(kept, 1)
            os.close(kept)


def handler_modules(config: Config) -> HandlerModules:
    """Return the modules that specs of a project may name: its own, and those that its configuration names."""
    return HandlerModules(str(config.root), config.handlers)


def raised(error: BaseException, root: Path) -> str:
    """Describe an exception of the project's own code, with its location in the project."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if frame.filename != __file__ and Path(frame.filename).is_relative_to(root)]
    where = f" ({Path(places[-1].filename).relative_to(root).as_posix()}:{places[-1].lineno})" if places else ""
    return f"{shown_error(error)}{where}"
