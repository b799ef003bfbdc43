"""What commands know of the project they run in: its configuration, its specs, its generated packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli.output import show_diagnostics
from toolgen.compiler.build import compile_specs
from toolgen.compiler.config import Config, Target, load_config
from toolgen.compiler.diagnostics import Diagnostics

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Tool, Toolset


@dataclass(frozen=True, slots=True)
class Compilation:
    """One target of the project, compiled."""

    target: Target
    catalog: Catalog


def project() -> Config:
    """The project of the working directory. Raises ConfigError."""
    return load_config(Path.cwd())


def compilations(config: Config) -> list[Compilation] | None:
    """Compile the specs of every target; errors are shown, and give None."""
    made: list[Compilation] = []
    failed = False
    for target in config.targets:
        sink = Diagnostics()
        compiled = compile_specs(config.root, target, sink)
        if sink.has_errors:
            show_diagnostics(sink, compiled.sources, config.root)
            failed = True
        made.append(Compilation(target, compiled.catalog))
    return None if failed else made


def find_tools(made: list[Compilation], name: str) -> list[tuple[Compilation, Toolset, Tool]]:
    """The tools that a name means, in any spelling: ident, wire name, the server's own name, the key alone."""
    from toolgen.providers.wire_names import wire_name

    every = [(one, toolset, tool) for one in made for toolset in one.catalog.toolsets for tool in toolset.tools]
    exact = [each for each in every if each[2].ident == name]
    if exact:
        return exact
    return [
        each for each in every if name in (each[2].wire_name or wire_name(each[2].ident), each[2].remote, each[2].key)
    ]
