"""References: `app.tools:search` names an object of a module; `app:Shop.find` a method, of an instance that is made."""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from inspect import isroutine
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.python.frameworks import FastMcpServerTool, framework_of
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.handler_signature import is_decorated

if TYPE_CHECKING:
    from toolgen.execute.python.modules import HandlerModules


# Containers of tools: lists and tuples, agents and toolsets of pydantic-ai, servers of FastMCP.
#
# A reference names a tool in one by its name: `app:tools.search`, `app:agent.search`.

_NO_WORD: Final = re.compile(r"\W")


def contained(value: Any) -> Mapping[str, Any] | None:
    """Return the tools of a container, by the names that references have for them; None for anything else.

    These are their own names, with `_` for what a reference cannot have. Raises `CatalogError` for two tools of one
    name, for an item without a name, and where a server cannot list its tools.
    """
    tools = _tools(value)
    if tools is None:
        return None
    names = [_NO_WORD.sub("_", _name(tool)) for tool in tools]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise CatalogError(f"two of its tools have the name `{twice[0]}`: import them one by one")
    return dict(zip(names, tools, strict=True))


def _tools(value: Any) -> Sequence[Any] | None:
    if type(value) in (list, tuple):  # a named tuple is an object of its own class
        return [*value]
    for (module, public), read in _CONTAINERS.items():
        kind = getattr(sys.modules.get(module), public, None)  # imported already, if this is one of its objects
        if isinstance(kind, type) and isinstance(value, kind):
            return list(read(value))
    return None


def _of_toolset(toolset: Any) -> Iterable[Any]:
    """Return the functions of a toolset. Raises `CatalogError` for one that only an agent can ask for its tools."""
    tools: Mapping[str, Any] | None = getattr(toolset, "tools", None)
    if tools is None:
        raise CatalogError(f"only an agent knows the tools of a {type(toolset).__name__}: import its source itself")
    return tools.values()


def _of_agent(agent: Any) -> Iterable[Any]:
    for toolset in agent.toolsets:
        if hasattr(toolset, "tools"):
            yield from _of_toolset(toolset)


def _of_server(server: Any) -> Iterable[Any]:
    """List the tools of a server, in a thread: an event loop may run in this one."""
    with ThreadPoolExecutor(1) as thread:
        listed: Iterable[Any] = thread.submit(asyncio.run, server.list_tools()).result()
    return [FastMcpServerTool(server, tool) for tool in listed]


_CONTAINERS: Final[Mapping[tuple[str, str], Callable[[Any], Iterable[Any]]]] = {
    ("pydantic_ai", "Agent"): _of_agent,
    ("pydantic_ai.toolsets", "AbstractToolset"): _of_toolset,
    ("fastmcp", "FastMCP"): _of_server,
}


def _name(tool: Any) -> str:
    if framework_of(tool) is not None:
        name: Any = getattr(tool, "name", None)
    else:
        own: Any = getattr(tool, "func", tool)  # of a `partial`
        name = getattr(own, "__name__", None) if isroutine(own) or is_decorated(own) else None
    if not isinstance(name, str):
        raise CatalogError(f"it contains a {type(tool).__qualname__}, which is no function and no tool object")
    return name


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
        raise NotThere(f"there is no module `{error.name}`{_module_meant(error.name)}") from error


def _module_meant(name: str) -> str:
    """Return the question for a module that is not there: what its package has instead, a module or an attribute."""
    from pkgutil import iter_modules  # only for an error

    package, _, last = name.rpartition(".")
    parent = sys.modules.get(package)
    if parent is None:
        return _meant(name, (each.name for each in iter_modules()), cutoff=0.75)  # hundreds, which nobody means
    known = {each: f"{package}:{each}" for each in dir(parent) if not each.startswith("_")}
    known.update((each.name, f"{package}.{each.name}") for each in iter_modules(getattr(parent, "__path__", ())))
    found = nearest(last, known, count=1)
    if last == "py" and found != ("py",):  # the name of a file
        return f"; did you mean `{package}`?"
    return f"; did you mean `{known[found[0]]}`?" if found else ""


def _meant(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    found = nearest(name, known, count=1, cutoff=cutoff)
    return f"; did you mean `{found[0]}`?" if found else ""


def needs_instance(owner: Any, name: str) -> bool:
    """Return whether something is a class, and its attribute of that name a method of instances."""
    return isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, name, None))
