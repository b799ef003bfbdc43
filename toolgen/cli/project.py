"""The project that a command runs in: its configuration, specs and generated packages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.folders import no_project
from toolgen.cli.names import suggestion
from toolgen.cli.output import show_diagnostics
from toolgen.compiler.compile import compile_specs, summarize
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.config import Config, Target, load_config
from toolgen.compiler.source.origins import reporting
from toolgen.providers.spellings import SpelledTool
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.cache.summary import Summary
    from toolgen.compiler.ir.catalog import Catalog, Tool, Toolset


@dataclass(frozen=True, slots=True)
class Compilation:
    """One target of the project, compiled."""

    target: Target
    catalog: Catalog


def project() -> Config:
    """Load the project of the working directory. Raises ConfigError, and click.UsageError if there is no project."""
    config = load_config(Path.cwd())
    check_folders(config)
    return config


def check_folders(config: Config) -> None:
    """Raise click.UsageError if the spec folder of a target is missing."""
    for target in config.targets:
        if not (config.root / target.specs).exists():
            raise click.UsageError(_missing(config, target.specs))


def compilations(config: Config) -> list[Compilation] | None:
    """Compile the specs of every target. Errors are shown, and the result is None."""
    made: list[Compilation] = []
    failed = False
    for target in config.targets:
        sink = reporting(config.silence)
        compiled = compile_specs(config.root, target, sink, cache=open_cache(config.root))
        if sink.has_errors:
            show_diagnostics(sink, compiled.sources)
            failed = True
        made.append(Compilation(target, compiled.catalog))
    return None if failed else made


def summaries(config: Config) -> list[tuple[Target, Summary]] | None:
    """Return the tools of every target in short. Errors are shown, and the result is None."""
    made: list[tuple[Target, Summary]] = []
    for target in config.targets:
        sink = Diagnostics()
        summary = summarize(config, target, sink)
        if summary is None:
            show_diagnostics(sink, sink.sources)
        else:
            made.append((target, summary))
    return made if len(made) == len(config.targets) else None


def tools_by_ident(made: list[Compilation]) -> dict[str, tuple[Compilation, Toolset, Tool]]:
    """Every tool of the project by ident; a tool of several targets is taken from the first."""
    return {
        tool.ident: (one, toolset, tool)
        for one in reversed(made)
        for toolset in one.catalog.toolsets
        for tool in toolset.tools
    }


def known_tools(tools: Iterable[Tool]) -> KnownTools:
    """The names of tools, as the catalog of a built package has them."""
    return KnownTools(
        SpelledTool(tool.ident, tool.wire_name or wire_name(tool.ident), tool.remote or tool.key) for tool in tools
    )


def listed_tools(made: Iterable[tuple[Target, Summary]]) -> KnownTools:
    """The names of the tools of summaries, as the catalog of a built package has them."""
    tools = (tool for _, summary in made for tool in summary.tools)
    return KnownTools(SpelledTool(tool.ident, tool.wire_name, tool.source_name) for tool in tools)


def _missing(config: Config, specs: str) -> str:
    """Return the error for a missing spec folder, with how to create one."""
    if not config.file:
        return no_project(specs)
    folder = config.root / specs
    siblings = [each.name for each in folder.parent.iterdir() if each.is_dir()] if folder.parent.is_dir() else []
    hint = suggestion(folder.name, siblings) or "Create it and write a spec there."
    return f"{config.file}: the `specs` folder `{specs}` of a target does not exist. {hint}"
