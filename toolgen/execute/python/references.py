"""References: `app.tools:search` names an object of a module; `app:Shop.find` a method, of an instance that is made."""

from __future__ import annotations

import inspect
import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from toolgen.execute.python.containers import contained
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.execute.python.modules import HandlerModules


class NotThere(LookupError):
    """A reference names nothing. The message says which part, and the nearest name."""


class Objects:
    """Looks up references. Of each class whose methods are used, one instance is made.

    `modules` are those that references may lead to; None for references that a person gave, not a spec.
    """

    def __init__(self, *, are_called: bool, modules: HandlerModules | None) -> None:
        self._are_called = are_called
        self._modules = modules
        self._instances: dict[type, Any] = {}
        self._contained: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    def find(self, reference: str) -> Any:
        """Import what a reference names.

        With `are_called`, a method of a class is one of an instance; else it only has the signature of one.
        A tool of a container is found by its name. Raises `ForeignModule` before code is imported that the reference
        may not lead to, `NotThere`, `CatalogError` for a container whose tools cannot be named, and whatever the module
        or the class raises.
        """
        module, _, path = reference.partition(":")
        owner: Any = None
        found: Any = self.module(module)
        for name in path.split(".") if path else ():
            tools = self.contained(found)
            owner, found = found, tools[name] if name in tools else self._attribute(found, name, reference, tools)
            if self._modules is not None:
                self._modules.check_found(found)
        if not needs_instance(owner, path.rpartition(".")[2]):
            return found
        return getattr(self.instance(owner), path.rpartition(".")[2]) if self._are_called else partial(found, None)

    def module(self, name: str) -> ModuleType:
        """Import a module. Raises `ForeignModule`, `NotThere`, and whatever its code raises."""
        if self._modules is not None:
            self._modules.check(name)
        return _imported(name)

    def contained(self, value: Any) -> Mapping[str, Any]:
        """Return the tools of a container, which is read once; of anything else none. Raises `CatalogError`."""
        if id(value) not in self._contained:
            self._contained[id(value)] = value, contained(value) or {}
        return self._contained[id(value)][1]

    def instance(self, kind: type) -> Any:
        """Return the one instance of a class. Raises whatever the class raises."""
        if kind not in self._instances:
            self._instances[kind] = kind()
        return self._instances[kind]

    def _attribute(self, owner: Any, name: str, reference: str, tools: Iterable[str]) -> Any:
        try:
            return getattr(owner, name)
        except AttributeError:
            module, _, path = reference.partition(":")
            if isinstance(owner, ModuleType):
                try:  # a module of a package is an attribute of it once it is imported
                    return self.module(f"{owner.__name__}.{name}")
                except NotThere:
                    pass
            where = f"`{module}`" if isinstance(owner, ModuleType) else f"`{module}:{path.partition(f'.{name}')[0]}`"
            raise NotThere(f"{where} has no `{name}`{_meant(name, (*tools, *dir(owner)))}") from None


def _imported(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # one that the module imports
        parent = sys.modules.get(error.name.rpartition(".")[0])
        raise NotThere(f"there is no module `{error.name}`{_meant(error.name, _modules(parent))}") from error


def _modules(package: ModuleType | None) -> Iterable[str]:
    from pkgutil import iter_modules  # only for an error

    prefix = f"{package.__name__}." if package is not None else ""
    return [f"{prefix}{each.name}" for each in iter_modules(getattr(package, "__path__", None))]


def _meant(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known, count=1)
    return f"; did you mean `{found[0]}`?" if found else ""


def needs_instance(owner: Any, name: str) -> bool:
    """Return whether something is a class, and its attribute of that name a method of instances."""
    return isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, name, None))
