"""Sides: the two versions that are compared, from specs, commits, folders and packages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.catalog_validation import damage_of
from toolgen.authoring.diff.git import DiffError, Repository, SpecsError
from toolgen.authoring.diff.places import Places
from toolgen.compiler.compile import compile_specs, outputs_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit import emit_new
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.ir.text import toolset_text
from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, load_config
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.packages import parse_package
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.spec.files import read_file_inside

if TYPE_CHECKING:
    from toolgen.compiler.cache.derived import OutputCache
    from toolgen.compiler.cache.store import Cache
    from toolgen.compiler.emit import Unit
    from toolgen.compiler.ir.catalog import Catalog as CompiledCatalog
    from toolgen.compiler.project.config import Config

_LARGEST: Final = 256 * 1024 * 1024
_CATALOG: Final = "catalog.json"
_EMPTY: Final = b'{"toolsets": {}, "tools": {}, "contract": 1}'


@dataclass(frozen=True)
class Package:
    """One package of a version. `text` is that of its `catalog.json`.

    `sources` returns the Python modules of the package by path, at least those of the given toolsets and of what uses
    them. `fingerprints` are equal for toolsets with equal Python; None where only the modules themselves tell.
    `places` finds parts of the catalog in specs, and is None where there are none.
    """

    text: bytes
    sources: Callable[[Collection[str]], Mapping[str, str]]
    fingerprints: Mapping[str, str] | None = None
    places: Places | None = None

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The whole `catalog.json`."""
        document: Mapping[str, Any] = json.loads(self.text)
        return document

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog as a runtime has it."""
        return Catalog(text=self.text)


@dataclass(frozen=True, slots=True)
class Side:
    """One version: its packages by their output folder, and the texts of its specs by path.

    `label` says what it is: `the working tree`, `main (1a2b3c4)`. `prefix` comes before paths of its specs in messages.
    `is_named` is false for a package that was read from a folder of its own, and stands for any target.
    """

    label: str
    packages: Mapping[str, Package]
    prefix: str = ""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    is_named: bool = True


NOTHING: Final = Package(_EMPTY, lambda _toolsets: {}, {})
"""The package of a target that a version does not have."""


def working_tree(config: Config, cache: Cache | None = None) -> Side:
    """Compile the specs of a project; toolsets that `cache` has are not compiled again. Raises SpecsError."""
    return _compiled(config, "the working tree", cache=cache)


def commit_of(config: Config, against: str) -> str | None:
    """Return the commit that `other_side` reads, if it reads one. Raises DiffError."""
    return None if _is_path(against) else _commit(config, against, is_needed=not against)


@contextmanager
def other_side(config: Config, against: str, cache: Cache | None = None) -> Generator[Side]:
    """Read the version to compare a project with: a commit, a folder or a package; empty for the default branch.

    What `cache` has of a commit or a folder is not compiled again.
    Raises DiffError if there is none of that name, SpecsError if its specs have errors, and ConfigError.
    """
    folder = _folder(config, against)
    commit = commit_of(config, against)
    if folder is not None and commit is not None:
        raise DiffError(f"`{against}` is a commit and a folder: write `./{against}`, or the whole name of the branch")
    if folder is not None:
        yield _of_folder(folder, against, config, cache)
    elif commit is not None:
        with TemporaryDirectory(prefix="toolgen-diff-") as place:
            yield _of_commit(config, commit, against, Path(place), cache)
    elif (found := _package_folder(against, [str(config.root)])) is not None:
        yield _of_package(found, f"the package {against}", found.name)
    else:
        raise DiffError(
            f"`{against}` is no commit of a git repository here, no folder and no package that can be found"
        )


def _is_path(against: str) -> bool:
    return against.startswith((".", "/")) or Path(against).is_absolute()


def _folder(config: Config, against: str) -> Path | None:
    folder = config.root / against
    return folder if against and os.path.isdir(folder) else None  # noqa: PTH112  # raises nothing for a long name


def _commit(config: Config, against: str, *, is_needed: bool) -> str | None:
    try:
        repository = Repository(config.root)
    except DiffError:
        if is_needed:
            raise
        return None
    return repository.commit(against) if against else repository.default_commit()


def _of_commit(config: Config, commit: str, against: str, place: Path, cache: Cache | None) -> Side:
    repository = Repository(config.root)
    short = repository.describe(commit)
    name = against or short
    repository.extract(commit, (OWN_FILE, PROJECT_FILE), place)
    then = load_config(place)
    repository.extract(commit, sorted({target.specs for target in then.targets}), place)
    label = f"the commit {short}" if not against or against.startswith(short) else f"{against} ({short})"
    there = tuple(target for target in then.targets if (place / target.specs).exists())
    return _compiled(replace(then, targets=there), label, f"{name}:", cache)


def _of_folder(folder: Path, against: str, own: Config, cache: Cache | None) -> Side:
    is_package = (folder / _CATALOG).is_file() and not (folder / OWN_FILE).exists()
    if is_package:
        inside = folder.resolve().is_relative_to(own.root.resolve())
        name = folder.resolve().relative_to(own.root.resolve()).as_posix() if inside else folder.name
        return _of_package(folder, f"the package in {against}", name)
    config = load_config(folder)
    missing = [target.specs for target in config.targets if not (folder / target.specs).exists()]
    if missing:
        raise DiffError(f"the folder {against} is no project and no generated package: it has no `{missing[0]}`")
    return _compiled(config, against, f"{against.rstrip('/')}/", cache)


def _compiled(config: Config, label: str, prefix: str = "", cache: Cache | None = None) -> Side:
    packages: dict[str, Package] = {}
    sources: dict[str, str] = {}
    for target in config.targets:
        sink = Diagnostics()
        compiled = compile_specs(config.root, target, sink, cache=cache)
        sources.update(compiled.sources)
        if sink.has_errors:
            raise SpecsError(f"the specs of {label} have errors", tuple(sink), compiled.sources)
        outputs = outputs_of(compiled, target, cache) if cache else None
        packages[target.out] = package_of(compiled.catalog, compiled.sources, outputs)
    return Side(label, packages, prefix, sources)


def package_of(catalog: CompiledCatalog, sources: Mapping[str, str], outputs: OutputCache | None = None) -> Package:
    """Return the package that a catalog compiles to; its modules are generated when they are read.

    What `outputs` has is not generated again.
    """
    units: Mapping[str, Sequence[Unit]] = outputs.units if outputs else {}

    def emitted(toolsets: Collection[str]) -> Mapping[str, str]:
        chosen = tuple(each for each in catalog.toolsets if each.name in toolsets)
        wanted = {name: units[name] for name in toolsets if name in units}
        known = outputs.known(wanted) if outputs else {}
        patterns = outputs.patterns() if outputs else {}
        files, _ = emit_new(replace(catalog, toolsets=chosen), (), units=wanted, known=known, patterns=patterns)
        for output in known.values():
            files.update(output.files)
        return {path: text for path, text in files.items() if path.endswith(".py")}

    users = [
        (agent, name)
        for agent in catalog.agents
        for name in (*agent.uses, *(f"export {each}" for each in agent.export))
    ]
    fingerprints = {
        toolset.name: "\n".join(
            [
                units[toolset.name][0].key if toolset.name in units else toolset_text(toolset),
                *(f"{'.'.join(agent.package)} {name}" for agent, name in users if name.split()[-1] == toolset.name),
            ]
        )
        for toolset in catalog.toolsets
    }
    return Package(emit_catalog_json(catalog).encode(), emitted, fingerprints, Places(catalog, sources))


def _of_package(folder: Path, label: str, name: str) -> Side:
    try:
        text = read_file_inside(folder / _CATALOG, folder, _LARGEST)
    except OSError as error:
        raise DiffError(f"{label} has no {_CATALOG} that can be read: {error.strerror}") from None
    if damage := damage_of(text):
        raise DiffError(f"{label} cannot be read: its {_CATALOG} is damaged: {damage}")
    package = Package(text, lambda _toolsets: _modules(folder))
    try:
        parse_package(text, folder.name)
        package.catalog.entries  # noqa: B018  # reads every entry
    except CatalogError as error:
        raise DiffError(f"{label} cannot be read: {error}") from None
    return Side(label, {name: package}, is_named=False)


def _modules(folder: Path) -> dict[str, str]:
    """Read the modules of a package, without running them."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        try:
            found[name] = read_file_inside(path, folder, _LARGEST).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise DiffError(f"{name} of the package in {folder} cannot be read: {error}") from None
    return found


def _package_folder(name: str, places: list[str]) -> Path | None:
    """Return the folder of a package by its import name; nothing of it is imported."""
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    top, *rest = name.split(".")
    spec = PathFinder.find_spec(top, places) or PathFinder.find_spec(top)
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place).joinpath(*rest)
        if (folder / _CATALOG).is_file():
            return folder
    return None


def pairs(before: Side, after: Side) -> list[tuple[str, Package, Package]]:
    """Return the packages to compare, with the name of each. A package of its own is compared with the only target."""
    if not before.is_named:
        ((name, package),) = before.packages.items()
        named = [each for each in after.packages if name in (each, each.rpartition("/")[2])]
        named = [each for each in named if each == name] or named
        chosen = list(after.packages) if len(after.packages) == 1 else named
        if len(chosen) != 1:
            known = ", ".join(f"`{each}`" for each in after.packages)
            raise DiffError(f"{before.label} is of no target of the project: they are {known}")
        return [(chosen[0], package, after.packages[chosen[0]])]
    if len(before.packages) == len(after.packages) == 1:  # whose folder may have been renamed
        ((name, new),) = after.packages.items()
        return [(name, next(iter(before.packages.values())), new)]
    outs = dict.fromkeys((*before.packages, *after.packages))
    return [(out, before.packages.get(out, NOTHING), after.packages.get(out, NOTHING)) for out in outs]
