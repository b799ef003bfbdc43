"""Loading of generated packages for commands that run calls."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.folders import import_name, is_importable, locate_for_command, no_project
from toolgen.cli.names import ident_meant, suggestion
from toolgen.cli.output import show_diagnostics
from toolgen.compiler.project.config import load_config
from toolgen.runtime.catalog.catalog import load
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config, Target
    from toolgen.runtime.catalog.catalog import Catalog


def built_project() -> Config:
    """Load the project of the working directory for commands that need its packages, and no specs.

    Raises ConfigError, and click.UsageError if there is no project.
    """
    config = load_config(Path.cwd())
    folders = [folder for target in config.targets for folder in (target.specs, target.out)]
    if not config.file and not any((config.root / folder).exists() for folder in folders):
        raise click.UsageError(no_project(config.targets[0].specs))
    return config


def built_catalog(config: Config, target: Target) -> Catalog:
    """Load the package of a target, and nothing else of its folder. Raises click.UsageError if it is out of date.

    Where there are no specs, as in an image, there is nothing to compare it with, and only commands that run the code
    of the project load it. Of the specs only errors are shown: warnings and notes are those of a build, which a new
    checkout repeats.
    """
    files: Collection[str] | None = None
    if (config.root / target.specs).exists():
        files = _current_files(config, target)
    else:
        _check_without_specs(config, target)
    name = import_name(config.root, target.out)[1]
    locate_for_command(name, config.root / target.out, files)
    return load(name)


def _check_without_specs(config: Config, target: Target) -> None:
    """Raise click.UsageError where there is no package, or nothing that runs the code of the project."""
    if not (config.root / target.out / "catalog.json").exists():
        raise click.UsageError(f"There are neither specs in {target.specs} nor a package in {target.out}.")
    if not is_importable(config.root):
        raise click.UsageError(
            f"There are no specs in {target.specs} to compare {target.out} with. Without them only commands that run "
            "the code of the project use its package: add the specs."
        )


def _current_files(config: Config, target: Target) -> Collection[str]:
    """Return the files of a package that says what its specs say. Raises click.UsageError for another one."""
    from toolgen.compiler.build import blocked, unlike_specs  # an image has no compiler
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.diagnostics.codes import Severity

    sink = Diagnostics()
    found = unlike_specs(config, target, sink)
    show_diagnostics([found for found in sink if found.severity is Severity.ERROR], sink.sources)
    if found is not None and not found.changes:
        return found.files
    if sink.has_errors:
        raise click.UsageError(f"{target.out} cannot be compared with its specs: fix the errors above.")
    for change in found.changes if found is not None else ():
        if change.is_edited:  # a plain build refuses to lose it
            problem = "was edited by hand. Move the edit elsewhere, or run `toolgen build --force`"
            if why := blocked(config, target, change.path):
                problem = f"cannot be read, because {why}"
            raise click.UsageError(visible(f"{target.out}/{change.path} {problem}."))
    raise click.UsageError(f"{target.out} is out of date. Run `toolgen build` first.")


def built_catalogs(config: Config, agent: str = "") -> dict[str, Catalog]:
    """Load the packages of all targets, by output folder; with `agent`, those that have it.

    Raises click.UsageError if one is out of date, or if none has the agent.
    """
    found = {target.out: built_catalog(config, target) for target in config.targets}
    if not agent:
        return found
    check_known("agent", agent, {name for catalog in found.values() for name in catalog.section("agents")})
    return {out: catalog for out, catalog in found.items() if agent in catalog.section("agents")}


disable_policy_option = click.option(
    "--disable-policy",
    "disabled_policies",
    metavar="NAME",
    multiple=True,
    help="A policy that is not in force; repeatable. By default all policies of the project are.",
)


def check_disabled(catalog: Catalog, names: Sequence[str]) -> Sequence[str]:
    """Return the names of policies that are disabled. Raises click.UsageError for an unknown one."""
    for name in names:
        check_known("policy", name, catalog.section("policies"))
    return names


def check_known(what: str, name: str, known: Collection[str]) -> None:
    """Raise click.UsageError for an unknown name."""
    if name not in known:
        raise click.UsageError(f"There is no {what} `{name}`. {suggestion(name, known) or _listing(known)}")


def _listing(known: Collection[str]) -> str:
    return f"There are {', '.join(sorted(known))}." if known else "The project has none."


def named_tool(catalogs: list[tuple[Target, Catalog]], name: str) -> tuple[Target, Catalog, str]:
    """The tool that a name refers to. Raises click.UsageError if there is none or several."""
    ident = ident_meant(name, KnownTools(tool for _, catalog in catalogs for tool in catalog.spelled_tools()))
    target, catalog = next(each for each in catalogs if ident in each[1])
    return target, catalog, ident


def chosen_catalog(config: Config, agent: str, package: str | None) -> Catalog:
    """Return the catalog of a package with an agent: of the first target, unless another is named."""
    if package is not None:
        check_known("package", package, {target.out for target in config.targets})
    packages = built_catalogs(config, agent)
    if package is not None and package not in packages:
        raise click.UsageError(f"The package `{package}` has no agent `{agent}`.")
    return packages[package] if package is not None else next(iter(packages.values()))
