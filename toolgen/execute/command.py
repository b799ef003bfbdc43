"""Command tools: programs of this machine, run with args that each stay one argument, within the host's bounds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.command_line import ExecLine, ShellLine, texts_of
from toolgen.execute.command_output import Keep, Reading
from toolgen.execute.paths.access import PathAccess
from toolgen.execute.processes.partial import report_partial
from toolgen.execute.processes.running import SPOOL_BYTES, run_process
from toolgen.runtime.base.errors import CatalogError, ExecutorError, ToolNotFound
from toolgen.runtime.codec.schema_profile import with_definitions_in_place
from toolgen.runtime.policy.paths.policy import PathPolicy
from toolgen.runtime.policy.policy import ENVIRONMENT
from toolgen.runtime.redact.call_secrets import hide_text, secrets_of_meta
from toolgen.schema.json_types import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.policy import Policies

STDERR_BYTES: Final = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHost:
    """What a host decides for all its commands.

    `paths` knows the project, in which relative folders start, and the roots that commands may run in. Of the variables
    in `environment` commands see `env` and those that they name themselves, and no others.
    `timeout_ms` holds for tools without their own, `max_timeout_ms` for all; `result_bytes` of an output are shown, and
    the rest is given to `keep`, or cut where there is none.
    """

    paths: PathPolicy
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    env: Sequence[str] = ENVIRONMENT
    timeout_ms: int = 120_000
    max_timeout_ms: int = 600_000
    result_bytes: int = 65_536
    keep: Keep | None = None

    @classmethod
    def under(
        cls,
        policies: Policies,
        project: str | Path,
        *,
        environment: Mapping[str, str] | None = None,
        keep: Keep | None = None,
    ) -> CommandHost:
        """Return what policies say of commands: their paths, variables, and limits."""
        bounds = {
            "timeout_ms": policies.timeout_ms,
            "max_timeout_ms": policies.max_timeout_ms,
            "result_bytes": policies.result_bytes,
        }
        return cls(
            paths=PathPolicy.under(policies, project),
            environment=dict(os.environ) if environment is None else environment,
            env=policies.env,
            keep=keep,
            **{name: bound for name, bound in bounds.items() if bound},
        )

    def check_folder(self, cwd: str) -> None:
        """Raise `CatalogError` for a folder that commands may not run in."""
        answer = self.paths.judge(cwd)
        if answer.problem is not None or answer.write_concern is not None:
            raise CatalogError(f"the folder {cwd!r} is outside the roots that commands may run in, or is sensitive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What one tool runs. `fields` are the schemas of its args by name; `cwd` is relative to the project.

    A `timeout_ms` of None is the host's, of 0 the longest there may be; a `stdout_bytes` of None is the host's.
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
    """Runs commands by ident, for requests with canonical JSON. It fits `ToolExecutor`."""

    def __init__(self, commands: Mapping[str, Command], host: CommandHost) -> None:
        self._commands = commands
        self._host = host
        self._access = PathAccess(host.paths)

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. A command that fails is a result with an error.

        Raises `ToolNotFound`, `MalformedResult`, and `CallFailed` with what `run_process` and `PathAccess` refuse.
        """
        if request.name not in self._commands:
            raise ToolNotFound(request.name)
        host, command = self._host, self._commands[request.name]
        payload = request.payload if isinstance(request.payload, bytes) else request.payload.encode()
        argv = command.line.argv(texts_of(json.loads(payload), command.fields))
        timeout_ms = _clamped(command.timeout_ms, host.timeout_ms, host.max_timeout_ms)
        with self._access.open_folder(self._access.check_working_folder(command.cwd)) as folder:
            finished = await run_process(
                argv,
                cwd=folder.working_directory,
                env=self._environment(command),
                stdin=payload,
                timeout_ms=timeout_ms,
                stdout_bytes=_bound(command.stdout_bytes, host.result_bytes),
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
        return {name: seen[name] for name in (*self._host.env, *command.env) if name in seen}


def executor(catalog: Catalog, toolset: str, host: CommandHost) -> ToolsetRegistration:
    """Return what runs a compiled toolset of kind `command`: `Runtime(executors=[executor(catalog, "local", host)])`.

    Raises `ExecutorError` for a toolset that is not there, is of another kind, or has a command that cannot run here.
    """
    if toolset not in catalog.toolsets:
        raise ExecutorError(f"there is no toolset {toolset} in the catalog")
    commands: dict[str, Command] = {}
    for ident in catalog.toolsets[toolset]:
        definition = catalog.definition(ident)
        if "command" not in definition.metadata:
            raise ExecutorError(f"{ident} is no command: {toolset} is of kind {definition.metadata['kind']}")
        try:
            commands[ident] = _compiled_command(definition)
            host.check_folder(commands[ident].cwd)
        except CatalogError as error:
            raise ExecutorError(f"the command of {ident} cannot run: {error}") from error
    return ToolsetRegistration(toolset=toolset, executor=CommandExecutor(commands, host))


def fields_of(input_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schemas of a tool's args by name, local types in place."""
    fields: Mapping[str, Any] = with_definitions_in_place(dict(input_schema)).get("properties", {})
    return fields


def _compiled_command(definition: ToolDefinition) -> Command:
    spec, limits = definition.metadata["command"], definition.metadata.get("limits", {})
    fields = fields_of(definition.input_schema)
    return Command(
        line=ShellLine.parse(spec["shell"], fields) if "shell" in spec else ExecLine.parse(spec["exec"], fields),
        fields=fields,
        result_schema=with_definitions_in_place(definition.result_schema),
        cwd=spec.get("cwd", "."),
        env=spec.get("env", ()),
        timeout_ms=limits.get("timeout_ms"),
        stdout_bytes=limits.get("result_bytes"),
        stderr_bytes=spec.get("stderr_bytes", STDERR_BYTES),
    )


def _clamped(own: int | None, usual: int, longest: int) -> int:
    return min(usual if own is None else own or longest, longest)


def _bound(own: int | None, usual: int) -> int:
    """Return how much of an output is shown; 0 means no bound, so as much as is kept of any."""
    return usual if own is None else own or SPOOL_BYTES
