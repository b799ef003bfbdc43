"""Command tools: programs of this machine, within the host's limits. Each arg is exactly one argument."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.command.line import ExecLine, ShellLine, texts_of
from toolgen.execute.command.output import Keep, Reading
from toolgen.execute.paths import PathAccess
from toolgen.execute.processes import SPOOL_BYTES, report_partial, run_process
from toolgen.runtime.base.errors import CatalogError, ExecutorError, ToolNotFound
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.redact.call_secrets import hide_text, secrets_of_meta
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.paths import PathPolicy
    from toolgen.spec.tool_settings import CommandSettings

STDERR_BYTES: Final = 8192

BOUNDS: Final = {"timeout_ms": 120_000, "max_timeout_ms": 600_000, "result_bytes": 65_536}
"""The bounds of commands where neither the host nor a policy has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHost:
    """The settings of a host for all its commands.

    `paths` has the project, to which folders are relative, and the roots that commands may run in. Of the variables in
    `environment`, commands see only those that policies and their own specs allow. `timeout_ms` is the default,
    `max_timeout_ms` the maximum for all; `result_bytes` of an output are shown, and a longer output is passed to
    `keep`, or truncated without it. Policies of the runtime apply too: the strictest wins. Where neither the host nor a
    policy has a bound, it is that of `BOUNDS`.
    """

    paths: PathPolicy
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    timeout_ms: int | None = None
    max_timeout_ms: int | None = None
    result_bytes: int | None = None
    keep: Keep | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "environment", dict(self.environment))

    def check_folder(self, cwd: str, policies: Policies) -> None:
        """Raise `CatalogError` if commands may not run in a folder."""
        answer = self.paths.under(policies).judge(cwd)
        if answer.problem is not None or answer.write_concern is not None:
            raise CatalogError(f"the folder {cwd!r} is outside the roots that commands may run in, or is sensitive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command of one tool. `fields` are the schemas of its args by name; `cwd` is relative to the project.

    A `timeout_ms` of None means that of the host, 0 the maximum; a `stdout_bytes` of None means that of the host.
    """

    line: ExecLine | ShellLine
    fields: Mapping[str, Any]
    result_schema: Any = True
    cwd: str = "."
    env: Sequence[str] = ()
    timeout_ms: int | None = None
    stdout_bytes: int | None = None
    stderr_bytes: int = STDERR_BYTES


class CommandExecutor:
    """Runs commands by ident, for requests with canonical JSON, in or below `folder`. Implements `ToolExecutor`."""

    def __init__(self, commands: Mapping[str, Command], host: CommandHost, policies: Policies | None = None) -> None:
        self._commands = commands
        self._host = host
        self.folder = host.paths.project
        applied = policies or Policies({})
        self._access = PathAccess(host.paths.under(applied))
        self._env = applied.env
        self._bounds = bounds_of(host, policies)

    def under(self, policies: Policies) -> CommandExecutor:
        """Return an executor of the same commands that keeps to the policies of a runtime."""
        return CommandExecutor(self._commands, self._host, policies or None)

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. If the command fails, the result has an error.

        Raises `ToolNotFound`, `MalformedResult`, and `CallFailed` as `run_process` and `PathAccess` do.
        """
        if request.name not in self._commands:
            raise ToolNotFound(request.name)
        host, command = self._host, self._commands[request.name]
        payload = request.payload if isinstance(request.payload, bytes) else request.payload.encode()
        argv = command.line.argv(texts_of(json.loads(payload), command.fields))
        timeout_ms = timeout_of(command.timeout_ms, self._bounds)
        with self._access.open_folder(self._access.check_working_folder(command.cwd)) as folder:
            finished = await run_process(
                argv,
                cwd=folder.working_directory,
                env=self._environment(command),
                stdin=payload,
                timeout_ms=timeout_ms,
                stdout_bytes=_bound(command.stdout_bytes, self._bounds["result_bytes"]),
                stderr_bytes=command.stderr_bytes,
                on_cancel=partial(report_partial, meta),
            )
        schema = command.result_schema
        reading = Reading(
            name=request.name,
            as_text=is_object(schema) and schema.get("type") == "string",
            as_results=not (is_object(schema) and "success" in schema.get("properties", {})),
            timeout_ms=timeout_ms,
            folders={host.paths.project: ".", host.paths.home: "~"},
            keep=host.keep,
            hide=partial(hide_text, secrets=secrets_of_meta(meta)),
        )
        return await reading.result_of(finished)

    def _environment(self, command: Command) -> dict[str, str]:
        seen = self._host.environment
        return {name: seen[name] for name in (*self._env, *command.env) if name in seen}


def command_executor(catalog: Catalog, toolset: str, host: CommandHost) -> ToolsetRegistration:
    """Return the executor of a `command` toolset: `Runtime(executors=[executor(catalog, "local", host)])`.

    Raises `ExecutorError` for an unknown toolset, one of another kind, or one with a command that cannot run; the
    runtime raises it for a command in a folder that its policies leave out.
    """
    if toolset not in catalog.toolsets:
        raise ExecutorError(f"there is no toolset {toolset} in the catalog")
    commands: dict[str, Command] = {}
    for ident in catalog.toolsets[toolset]:
        definition = catalog.definition(ident)
        spec = definition.settings.command
        if spec is None:
            raise ExecutorError(f"{ident} is not a command: {toolset} is of kind {definition.kind}")
        try:
            commands[ident] = _compiled_command(definition, spec)
        except CatalogError as error:
            raise ExecutorError(f"the command of {ident} cannot run: {error}") from error

    runs, folder = CommandExecutor(commands, host), host.paths.project

    def under(policies: Policies) -> ToolsetRegistration:
        for ident, command in commands.items():
            try:
                host.check_folder(command.cwd, policies)
            except CatalogError as error:
                raise ExecutorError(f"the command of {ident} cannot run: {error}") from error
        return ToolsetRegistration(toolset=toolset, executor=runs.under(policies), folder=folder)

    return ToolsetRegistration(toolset=toolset, executor=runs, under=under, folder=folder)


def fields_of(input_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schemas of a tool's args by name, with local definitions inlined."""
    fields: Mapping[str, Any] = with_definitions_in_place(dict(input_schema)).get("properties", {})
    return fields


def _compiled_command(definition: ToolDefinition, spec: CommandSettings) -> Command:
    limits = definition.settings.limits
    fields = fields_of(definition.input_schema)
    return Command(
        line=ShellLine.parse(spec.shell, fields) if spec.shell else ExecLine.parse(spec.exec, fields),
        fields=fields,
        result_schema=with_definitions_in_place(definition.result_schema),
        cwd=spec.cwd,
        env=spec.env,
        timeout_ms=limits.timeout_ms,
        stdout_bytes=limits.result_bytes,
        stderr_bytes=spec.stderr_bytes,
    )


def bounds_of(*given: CommandHost | Policies | None) -> Mapping[str, int]:
    """Return the bounds of commands by the names of `BOUNDS`: the strictest of a host and policies."""
    bounds = {name: [getattr(each, name, None) for each in given] for name in BOUNDS}
    return {name: min(filter(None, each), default=BOUNDS[name]) for name, each in bounds.items()}


def timeout_of(own: int | None, bounds: Mapping[str, int]) -> int:
    """Return the timeout of a command in milliseconds; `own` is that of its tool: None for the usual, 0 the most."""
    return min(bounds["timeout_ms"] if own is None else own or bounds["max_timeout_ms"], bounds["max_timeout_ms"])


def _bound(own: int | None, usual: int) -> int:
    """Return how many bytes of an output are shown; 0 means no limit, so as much as is stored of any output."""
    return usual if own is None else own or SPOOL_BYTES
