"""Program: what runs the calls of a tool, as a person is shown it before a call: by kind of tool."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.runtime.catalog.handler_signature import name_of
from toolgen.runtime.policy.hosts import url_of_server
from toolgen.runtime.redact.shown_args import SHOWN, filled, joined
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.catalog.handler_signature import Handler


@dataclass(frozen=True, slots=True)
class Program:
    """What runs a call.

    `text` is a command line with the args in it, a server, a handler or an agent; empty for a function that the host
    registered, and for an API, whose requests its executor shows. A process runs in `cwd`, relative to the project, and
    `env` are the variables that it gets in addition to those of policies, if it `gets_policy_env`.
    """

    text: str = ""
    cwd: str | None = None
    env: tuple[str, ...] = ()
    gets_policy_env: bool = False


def program_of(tool: ToolDefinition, toolset: Mapping[str, Any], args: Any, handler: Handler | None = None) -> Program:
    """Return what runs a call with these args, from which secrets are redacted. `toolset` is as it was compiled.

    `handler` is a function of the host: it runs instead of what the spec says.
    """
    command, programs = tool.settings.command, tool.settings.access.exec
    if handler is not None and (command or tool.settings.handler or {"server", "exported_by"} & toolset.keys()):
        return Program(visible(f"{handler.__module__}:{name_of(handler)}"))
    if command is not None:
        text = filled(command.shell, args) if command.shell else _line(command.exec, args)
        return Program(text, command.cwd, command.env, gets_policy_env=True)
    if programs:
        texts = [_argv(args[name]) for name in programs if is_object(args) and args.get(name) is not None]
        return Program(joined(texts, "; ", SHOWN), ".", gets_policy_env=True)
    if server := toolset.get("server"):
        if "stdio" in server:
            text, env = joined([shlex.join(server["stdio"])], "", SHOWN), tuple(server.get("env", ()))
            return Program(text, server.get("cwd"), env)
        return Program(visible(url_of_server(server)))
    if agent := toolset.get("exported_by"):
        return Program(visible(f"agent {agent}"))
    return Program(visible(tool.settings.handler))


def _line(elements: Sequence[str | Sequence[str]], args: Any) -> str:
    """Return the argv of a command. A group is left out if one of its args is absent, as when it runs."""
    given = {name for name, value in args.items() if value is not None} if is_object(args) else set[str]()
    found: list[str] = []
    for element in elements:
        if isinstance(element, str):
            found.append(filled(element, args))
        elif all(name in given for each in element for name in _names(each)):
            found += (filled(each, args) for each in element)
    return joined([shlex.quote(each) for each in found], " ", SHOWN)


def _names(template: str) -> Sequence[str]:
    return [part.partition("}}")[0].removeprefix("args.") for part in template.split("{{")[1:]]


def _argv(value: Any) -> str:
    return shlex.join(map(str, value)) if is_array(value) else str(value)
