"""Lazy re-exports: a generated package names everything and imports nothing until it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def reexport(
    package: str, origins: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package.

    `origins` maps each public name to the module that defines it, relative to `package` (`".idents"`); a module
    with that name is exported itself (`"codecs": ".codecs"`).
    The module is imported on first use of one of its names; the value then stays in the package.
    """
    names = sorted(origins)

    def get(name: str) -> Any:
        origin = origins.get(name)
        if origin is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(origin, package)
        value = module if origin.rpartition(".")[2] == name else getattr(module, name)
        setattr(import_module(package), name, value)
        return value

    return get, lambda: names, names


def offer(package: str, root: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of the generated package of a toolset.

    `modules` maps each module, relative to `package` (`".find"`), to the names in it that the package offers, separated
    by blanks. Offered too are what the package itself defines, and `codecs`: those of the generated package `root`,
    which is relative (`"..."`); a toolset without tools has none, and an empty `root`.
    """
    origins = {name: module for module, names in modules.items() for name in names.split()}
    imported, _, lazy_names = reexport(package, origins)

    def names() -> list[str]:
        from toolgen.contract.ident import Ident

        defined = [
            name
            for name, value in vars(import_module(package)).items()
            if name[0] != "_" and (isinstance(value, Ident) or getattr(value, "__module__", "") == package)
        ]
        return sorted({*lazy_names, *defined, *(["codecs"] if root else [])})

    def get(name: str) -> Any:
        if name == "codecs" and root:
            # By its name, because the runtime builds on this module.
            codecs = import_module("toolgen.runtime").Codecs(package.rsplit(".", len(root) - 1)[0])
            setattr(import_module(package), name, codecs)
            return codecs
        return names() if name == "__all__" else imported(name)

    return get, names
