"""Reach: what running a toolset by its spec alone starts, and where it sends variables of the environment.

Both may be against the interest of whoever only cloned the repository of the spec. So they are decided on in one place,
for each kind of toolset: `check_reach`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.execute.environment import variables_in
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.spec.tool_settings import CommandSettings

_NO_NAMES: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """What a spec, or the configuration of a project, reaches.

    It is a program that is started (`program`, an argv), code that runs (`code`), or else a URL that gets variables of
    the environment. `named_by` is the toolset. `variables` are names, which may be credentials.
    """

    named_by: str
    program: tuple[str, ...] = ()
    code: str = ""
    url: str = ""
    variables: tuple[str, ...] = ()

    def __str__(self) -> str:
        gets = f", with the values of {', '.join(self.variables)}" if self.variables else ""
        if self.program:
            return f"{self.named_by} starts the program: {shlex.join(self.program)}{gets}"
        if self.code:
            return f"{self.named_by} runs the code of {self.code}"
        return f"{self.named_by} connects to {self.url}{gets}"


MayReach: TypeAlias = Callable[[Reached], bool]
"""Decides on what a spec reaches."""


def check_reach(catalog: Catalog, toolset: str, may_reach: MayReach | None) -> None:
    """Raise `ExecutorError` for what the spec of a toolset reaches and nobody has allowed."""
    for each in reached(catalog, toolset):
        if may_reach is None or not may_reach(each):
            how = "" if may_reach else ": pass `may_reach`, a function that says whether this may be"
            raise ExecutorError(f"nobody has allowed that {each}{how}")


def reached(catalog: Catalog, toolset: str) -> list[Reached]:
    """Return what a compiled toolset reaches by its spec, each once."""
    compiled = catalog.section("toolsets")[toolset]
    if compiled.get("kind") == "mcp":
        return reached_by_server(toolset, compiled.get("server") or {})
    if compiled.get("kind") == "http":
        requests = (catalog.definition(ident).settings.http or {} for ident in catalog.toolsets[toolset])
        return list(dict.fromkeys(_by_api(toolset, compiled.get("api", {}), requests)))
    if compiled.get("kind") == "command":
        commands = (catalog.definition(ident).settings.command for ident in catalog.toolsets[toolset])
        return list(dict.fromkeys(_by_command(toolset, each) for each in commands if each is not None))
    return []


def _by_command(toolset: str, command: CommandSettings) -> Reached:
    """Return the program of a command as its spec has it, with the places of args."""
    parts = (part for each in command.exec for part in ((each,) if isinstance(each, str) else each))
    program = ("sh", "-c", command.shell) if command.shell else tuple(parts)
    return Reached(named_by=toolset, program=program, variables=command.env)


def reached_by_server(
    name: str, server: Mapping[str, Any], made_of: Mapping[str, Sequence[str]] = _NO_NAMES
) -> list[Reached]:
    """Return what an MCP server, as specs have it, reaches.

    `made_of` has the variables whose values a file makes of those of others: what is read is named too.
    """
    variables = tuple(
        f"{each} (or else of {', '.join(made_of[each])})" if each in made_of else each for each in variables_of(server)
    )
    program = tuple(map(str, server.get("stdio") or ()))
    if program:
        return [Reached(named_by=name, program=program, variables=variables)]
    return [Reached(named_by=name, url=_url_of(server), variables=variables)] if variables else []


def _url_of(server: Mapping[str, Any]) -> str:
    return str(server.get("http") or server.get("sse") or "")


def variables_of(server: Mapping[str, Any]) -> list[str]:
    """Return the variables of the environment that a server gets, each once."""
    texts = map(str, [_url_of(server), *(server.get("stdio") or ()), *server.get("headers", {}).values()])
    return list(dict.fromkeys([*(each for text in texts for each in variables_in(text)), *server.get("env", ())]))


def _by_api(toolset: str, api: Mapping[str, Any], requests: Iterable[Mapping[str, Any]]) -> Iterator[Reached]:
    """Yield each URL of an API that gets variables: every one of its tools may get every credential of the API."""
    if "app" in api:  # which answers all requests in this process
        return
    texts = list(api.get("headers", {}).values())
    for auth in api.get("auth", {}).values():
        found = _variables_in(value for key, value in auth.items() if isinstance(value, str) and key != "token_url")
        if "token_url" not in auth:
            texts += (f"$env.{name}" for name in found)
        elif found:
            yield Reached(named_by=toolset, url=auth["token_url"], variables=found)
    variables = _variables_in(texts)
    if variables:
        urls = [api.get("base_url"), *(request.get("base_url") for request in requests)]
        for url in dict.fromkeys(filter(None, urls)):
            yield Reached(named_by=toolset, url=url, variables=variables)


def _variables_in(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in texts for name in variables_in(text)))
