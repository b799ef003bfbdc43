"""Containers of tools: lists and tuples, agents and toolsets of pydantic-ai, servers of FastMCP.

A reference names a tool in one by its name: `app:tools.search`, `app:agent.search`.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from inspect import isroutine
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.python.frameworks import FastMcpServerTool, framework_of
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
        name = getattr(own, "__name__", None) if isroutine(own) or hasattr(own, "__wrapped__") else None
    if not isinstance(name, str):
        raise CatalogError(f"it contains a {type(tool).__qualname__}, which is no function and no tool object")
    return name
