"""Modules that a spec may name: those of the project itself, and those that the host or the configuration names.

Authors of specs are not trusted with running code. Where a module would come from is found out before it is imported.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import isroutine
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.python.frameworks import framework_of
from toolgen.runtime.catalog.handler_signature import is_decorated
from toolgen.spec.files import is_inside

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from toolgen.runtime.catalog.catalog import Catalog

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})


class ForeignModule(Exception):
    """A spec names code that is not of the project. The message says which module, and how to allow it."""


@dataclass(frozen=True, slots=True)
class HandlerModules:
    """The modules that specs may name.

    Those in `folder` and below it, without installed packages and the standard library; empty for none. And those in
    `named`, each with all modules below it, wherever they are.
    """

    folder: str = ""
    named: Collection[str] = ()

    @classmethod
    def of_catalog(cls, catalog: Catalog) -> HandlerModules:
        """Return the modules beside the generated package of a catalog; those in its top package if it is installed."""
        top = catalog.package.partition(".")[0]
        spec = _spec(top) if top else None
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        if len(places) != 1:
            return cls()
        folder = str(Path(places[0]).parent)
        return cls(places[0] if is_installed(folder) else folder)

    def check(self, module: str) -> None:
        """Raise `ForeignModule` for a module that specs may not name. Its parents are imported, if they are allowed.

        A module that is not there raises nothing: the import of it says so.
        """
        if self._is_named(module):
            return
        name = ""
        for part in module.split("."):
            if name and not hasattr(import_module(name), "__path__"):
                return
            name = f"{name}.{part}" if name else part
            spec = _spec(name)
            places = _places(spec) if spec is not None else _file_of(name)
            if spec is None and not places:
                if name in sys.modules:
                    raise self._foreign(module, "nobody knows where it is from")
                return
            if self._is_named(name):
                continue
            if not any(map(self._is_own, places)):
                raise self._foreign(module, "it is not one of the project's own")

    def check_found(self, value: Any) -> None:
        """Raise `ForeignModule` for what a module only imports: another module, or a class or function of one."""
        if isinstance(value, ModuleType):
            self.check(value.__name__)
            return
        while isinstance(value, partial):
            value = value.func
        is_code = isinstance(value, type) or isroutine(value) or is_decorated(value)
        if not is_code or (not isinstance(value, type) and framework_of(value) is not None):
            return  # an object that the module made, or one that is made to be a tool
        module: Any = getattr(value, "__module__", None)
        name = getattr(value, "__qualname__", type(value).__qualname__)
        if not isinstance(module, str):
            raise ForeignModule(f"`{name}` is code of Python itself; write a function that calls it")
        self.check(module)

    def _is_named(self, module: str) -> bool:
        return any(module == each or module.startswith(f"{each}.") for each in self.named)

    def _is_own(self, place: str) -> bool:
        """Return whether a file or folder is the project's own."""
        if not self.folder:
            return False
        real, folder = os.path.realpath(place), os.path.realpath(self.folder)
        if not is_inside(real, folder):
            return False
        below = Path(real).relative_to(folder).parts
        return _INSTALLED.isdisjoint(below) and not any(
            is_inside(real, library) and not is_inside(folder, library) for library in _libraries()
        )

    def _foreign(self, module: str, why: str) -> ForeignModule:
        return ForeignModule(
            f"specs may not name the module `{module}`: {why}. "
            f'If it is meant to run tools, allow it: `handlers = ["{module}"]` in the configuration, or '
            f'`HandlerModules(named=["{module}"])` in a program'
        )


def _spec(name: str) -> ModuleSpec | None:
    """Return where a module would be imported from; None if that is unknown, or there is none."""
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # no spec: `__main__`, or one that a program made
        return None


def _places(spec: ModuleSpec) -> list[str]:
    """Return the file of a module or a package, or the folders of a package without one; nothing for a built-in one."""
    if spec.has_location and spec.origin:
        return [spec.origin]
    return list(spec.submodule_search_locations or ())


def _file_of(name: str) -> list[str]:
    """Return the file of a module that is imported already, such as `__main__`."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return [file] if isinstance(file, str) else []


def is_installed(folder: str) -> bool:
    """Return whether a folder has installed packages, or the standard library."""
    real = os.path.realpath(folder)
    return not _INSTALLED.isdisjoint(Path(real).parts) or any(is_inside(real, library) for library in _libraries())


@cache
def _libraries() -> tuple[str, ...]:
    """Return the folders of the standard library and of installed packages."""
    paths = sysconfig.get_paths()
    found = {paths.get(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(os.path.realpath(path) for path in found if path)
