"""Commands: toolsets of kind `command`, programs of this machine within the limits of the host.

Each arg is exactly one argument.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.command_output import Keep, Reading
from toolgen.execute.paths import PathAccess
from toolgen.execute.processes import SPOOL_BYTES, report_partial, run_process
from toolgen.runtime.base.errors import CatalogError, ExecutorError, ToolNotFound
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.redact.call_secrets import hide_text, secrets_of_meta
from toolgen.schema.fields import defaults_of
from toolgen.schema.json_values import is_object
from toolgen.spec.shell import misplaced
from toolgen.spec.templates import BEYOND_A_NAME, BRACES, joined_path, joined_path_problem

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
    """The command of one tool. `cwd` is relative to the project.

    `fields` are the schemas of its args by name, and `defaults` the values of those that are absent.

    A `timeout_ms` of None means that of the host, 0 the maximum; a `stdout_bytes` of None means that of the host.
    """

    line: ExecLine | ShellLine
    fields: Mapping[str, Any]
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
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
        applied = Policies({}) if policies is None else policies
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
        argv = command.line.argv(texts_of({**command.defaults, **json.loads(payload)}, command.fields))
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
    for part in (spec.shell, *spec.exec):
        for template in (part,) if isinstance(part, str) else part:
            if name := joined_path(template, definition.settings.access.paths):
                raise CatalogError("; ".join(joined_path_problem(name)))
    return Command(
        line=ShellLine.parse(spec.shell, fields) if spec.shell else ExecLine.parse(spec.exec, fields),
        fields=fields,
        defaults=defaults_of(definition.input_schema),
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


# Command lines: templates that can only refer to args, and the resulting argv, with one argument per value.

_SHELL: Final = "/bin/sh"

_PREFIX: Final = "args."


@dataclass(frozen=True, slots=True)
class Template:
    """Text with args in it: `texts[0] names[0] texts[1] …`; there is one more text than names."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, fields: Mapping[str, Any]) -> Template:
        """Parse a template. Raises `CatalogError` for anything in braces other than `args.` and one of the fields."""
        texts, names = BRACES.split(text)[::2], BRACES.findall(text)
        for name in names:
            _check_name(name, fields)
        if any("{{" in part or "}}" in part for part in texts):
            raise CatalogError("`{{` and `}}` do not match up; write `{{args.name}}`")
        return cls(tuple(texts), tuple(name.removeprefix(_PREFIX) for name in names))

    def fill(self, values: Mapping[str, str]) -> str:
        """Insert the values. An absent one is empty."""
        filled = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            filled += (values.get(name, ""), text)
        return "".join(filled)


@dataclass(frozen=True, slots=True)
class ExecLine:
    """A program and its arguments, each a template. A group is omitted if one of its args is absent."""

    elements: tuple[Template | tuple[Template, ...], ...]

    @classmethod
    def parse(cls, elements: Iterable[str | Sequence[str]], fields: Mapping[str, Any]) -> ExecLine:
        """Parse the templates; a nested list is a group. Raises `CatalogError`."""
        return cls(
            tuple(
                Template.parse(element, fields)
                if isinstance(element, str)
                else tuple(Template.parse(each, fields) for each in element)
                for element in elements
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The args that it refers to."""
        groups = (element if isinstance(element, tuple) else (element,) for element in self.elements)
        return tuple(name for group in groups for template in group for name in template.names)

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """Return the argv, with each element filled separately."""
        argv: list[str] = []
        for element in self.elements:
            if isinstance(element, Template):
                argv.append(element.fill(values))
            elif all(name in values for template in element for name in template.names):
                argv += [template.fill(values) for template in element]
        return argv


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A shell command line, in which every value is one word.

    The shell never parses a value as part of the line. It receives the values as arguments, assigns them to variables,
    and the line has a quoted variable in place of each template. So no value can escape its quotes, not even in a
    comment, after a backslash or inside backticks, where quoting the text of a value would not be enough.
    """

    template: Template

    @classmethod
    def parse(cls, line: str, fields: Mapping[str, Any]) -> ShellLine:
        """Parse a line. Raises `CatalogError`, also for a template in a place where a shell may run its value."""
        template = Template.parse(line, fields)
        found = misplaced(template.texts)
        if found is not None:
            raise CatalogError(f"`{{{{args.{template.names[found.number]}}}}}` is {found.place}; {found.fix}")
        return cls(template)

    @property
    def names(self) -> tuple[str, ...]:
        """The args that it refers to."""
        return self.template.names

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """Return the argv of the shell. An absent value is an empty word."""
        names = list(dict.fromkeys(self.template.names))
        variables = {name: f"_toolgen_{number}" for number, name in enumerate(names)}
        line = self.template.fill({name: f'"${{{variable}}}"' for name, variable in variables.items()})
        given = "".join(f"{variable}=${{{number}}} " for number, variable in enumerate(variables.values(), 1))
        return [_SHELL, "-c", f"{given}; shift {len(names)}; {line}" if names else line, "sh"] + [
            values.get(name, "") for name in names
        ]


def texts_of(args: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of every arg by its name; null counts as absent.

    Arrays and objects have none: no template may refer to them.
    """
    return {
        name: _argument_text(value, fields.get(name))
        for name, value in args.items()
        if value is not None and not isinstance(value, dict | list)
    }


def _argument_text(value: Any, schema: Any) -> str:
    match value:
        case str():
            return value
        case float() if value.is_integer() and is_object(schema) and schema.get("type") == "integer":
            return str(int(value))  # to JSON Schema 1.0 is an integer, to most programs it is not
        case _:
            return json.dumps(value)


def _check_name(inner: str, fields: Mapping[str, Any]) -> None:
    name = inner.removeprefix(_PREFIX)
    if name == inner:
        raise CatalogError(f"`{{{{{inner}}}}}` is not a template: only `{{{{args.name}}}}` is allowed here")
    if name in fields:
        return
    if BEYOND_A_NAME.split(name)[0] in fields:
        raise CatalogError(f"`{{{{{inner}}}}}` is more than the name of a field: no filters, no nesting")
    meant = nearest(name, fields, count=1)
    question = f"; did you mean {meant[0]!r}?" if meant else f"; there are {', '.join(sorted(fields)) or 'none'}"
    raise CatalogError(f"`{{{{{inner}}}}}` names a field that the args do not have{question}")
