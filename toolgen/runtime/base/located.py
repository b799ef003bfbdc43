"""Located packages: generated packages that are imported from where they are, and with them nothing else of a project.

For a folder on the import path has more than its package: its other modules would be found in place of those of the
standard library, or of what is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import reload
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from types import CodeType, ModuleType

P = ParamSpec("P")
T = TypeVar("T")


def locate(name: str, folder: Path, files: Collection[str] | None = None) -> None:
    """Let a package be imported from its folder, whatever the import path has.

    `files` are the paths of its files in the folder, with `/`: another file there is no module of it. By default all
    are. Bytecode is not read: it may be of another text. A parent that the import path does not have is empty.

    What was imported from that folder before stays as it is, and what was imported under the name from elsewhere is out
    of the way until `forget`: others hold its classes.
    """
    _PACKAGES[name] = _Located(folder, files, _set_aside(name, folder))
    clear_package_caches()
    if _MODULES not in sys.meta_path:
        sys.meta_path.insert(0, _MODULES)
        sys.meta_path.append(_PARENTS)


def is_located(name: str) -> bool:
    """Return whether a package is imported from a folder that was given."""
    return name in _PACKAGES


def forget(name: str) -> None:
    """Undo `locate`, and forget what was imported of the package, unless that was imported before."""
    package = _PACKAGES.pop(name, None)
    if package is not None and package.aside is not None:
        for module in _imported(name):
            del sys.modules[module]
        sys.modules.update(package.aside)
    clear_package_caches()


def _set_aside(name: str, folder: Path) -> Mapping[str, ModuleType] | None:
    """Return the modules of another package of a name, which are no longer imported; None for those of this one."""
    located = _PACKAGES.get(name)
    modules = _imported(name)
    place = getattr(modules.get(name), "__file__", None)
    if place is not None and Path(place).resolve().parent == folder.resolve():
        return located.aside if located is not None else None
    for module in modules:
        del sys.modules[module]
    return located.aside if located is not None and located.aside is not None else modules


def _imported(name: str) -> dict[str, ModuleType]:
    return {each: module for each, module in sys.modules.items() if f"{each}.".startswith(f"{name}.")}


def package_cache(function: Callable[P, T]) -> Callable[P, T]:
    """Cache what a function returns for a package, given by its name, until that may be the name of another one."""
    cached = cache(function)
    _CACHES.append(cached.cache_clear)
    return cast("Callable[P, T]", cached)


def clear_package_caches() -> None:
    """Forget what is cached of packages: a name may be that of another one now."""
    for clear in _CACHES:
        clear()


def run_parents() -> None:
    """Run the parents of packages that were empty, now that the import path has them. Raises what they raise."""
    names = [each for each in _PARENTS.empty if each in sys.modules]
    _PARENTS.empty.clear()
    for name in names:
        reload(sys.modules[name])


@dataclass(frozen=True, slots=True)
class _Located:
    folder: Path
    files: Collection[str] | None
    aside: Mapping[str, ModuleType] | None
    """What was imported of another package of the name; None if this one was imported before."""

    def spec(self, name: str, below: str) -> ModuleSpec:
        """Return where a module is, which is called `below` in the package. Raises ModuleNotFoundError."""
        place = below.replace(".", "/")
        for path in (f"{place}/__init__.py" if below else "__init__.py", f"{place}.py"):
            if self._has(path):
                file = str(self.folder / path)
                spec = spec_from_file_location(name, file, loader=_Compiling(name, file))
                assert spec is not None  # it has a loader
                return spec
        raise ModuleNotFoundError(f"the package in {self.folder} has no module {name!r}", name=name)

    def _has(self, path: str) -> bool:
        return (self.folder / path).is_file() if self.files is None else path in self.files


class _Compiling(SourceFileLoader):
    """Compiles the source of a module, and neither reads nor writes bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Modules:
    """Finds the modules of located packages, before all others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of a package is; None for one of no package. Raises ModuleNotFoundError."""
        for name, package in _PACKAGES.items():
            if f"{fullname}.".startswith(f"{name}."):
                return package.spec(fullname, fullname[len(name) + 1 :])
        return None


class _Parents:
    """Makes empty packages of the parents of located ones that nothing else finds."""

    def __init__(self) -> None:
        self.empty: dict[str, None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return an empty package for a parent, and None for all else."""
        if not any(name.startswith(f"{fullname}.") for name in _PACKAGES):
            return None
        self.empty[fullname] = None
        return ModuleSpec(fullname, None, is_package=True)


_CACHES: Final[list[Callable[[], None]]] = []
_PACKAGES: Final[dict[str, _Located]] = {}
_MODULES: Final = _Modules()
_PARENTS: Final = _Parents()
