"""Lazy re-exports: a generated package names everything and imports nothing until it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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
