"""User-level command tools: the `*.json` files in the `tools` folder of the configured home, one tool each.

They are read at startup, and validated like specs. No other folder is ever read: a checked-out project cannot add
programs to run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.command.executor import STDERR_BYTES, Command, CommandExecutor, CommandHost, fields_of
from toolgen.execute.command.line import ExecLine, ShellLine
from toolgen.execute.user_tools.files import user_files
from toolgen.execute.user_tools.tool_file import parse_user_tool
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.definition import ToolDefinition
from toolgen.runtime.catalog.registration import from_adapter
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.lines import lines_of
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.execute.user_tools.tool_file import UserToolFile
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.registration import Profile

_SCALARS: Final = ("string", "integer", "number", "boolean")


def load_user_tools(
    catalog: Catalog, home: str | Path, host: CommandHost, *, profile: Profile = "core"
) -> tuple[str, ...]:
    """Register the tools in `<home>/tools/*.json` with an open catalog, all or none; return their names, by file name.

    A file that is not regular, leads out of the folder, belongs to another user or may be written by others is skipped,
    with a warning. Raises `CatalogError` for such a folder, and with the error of each file, one line per file and
    field. User tools cannot be in a toolset that is built in or compiled. All policies of the catalog apply to the
    folders that they run in; those of a runtime, to their calls.
    """
    policies = Policies(catalog.section("policies"), catalog.names)
    tools: list[_UserTool] = []
    problems: list[str] = []
    for file in user_files(home, "tools", ".json"):
        if file.problem:
            warn("the user tool tools/%s is skipped: %s", visible(file.name), file.problem)
            continue
        try:
            tools.append(_read(file.content, host, policies, profile))
            _check_toolset(tools[-1].definition.name, catalog)
        except CatalogError as error:
            problems += (f"tools/{visible(file.name)}: {problem}" for problem in lines_of(str(error)))
    if problems:
        raise CatalogError("\n".join(problems))
    executor = CommandExecutor({tool.definition.name: tool.command for tool in tools}, host)
    catalog.register_adapter(_UserTools([tool.definition for tool in tools], executor), profile=profile)
    return tuple(tool.definition.name for tool in tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class _UserTool:
    definition: ToolDefinition
    command: Command


class _UserTools:
    """The adapter of user tools."""

    def __init__(self, definitions: Iterable[ToolDefinition], executor: CommandExecutor) -> None:
        self._definitions = definitions
        self._executor = executor

    def definitions(self) -> Iterable[ToolDefinition]:
        return self._definitions

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        return await self._executor.execute(request, meta)

    def under(self, policies: Policies) -> _UserTools:
        return _UserTools(self._definitions, self._executor.under(policies))


def _check_toolset(name: str, catalog: Catalog) -> None:
    toolset = name.rpartition(".")[0]
    if name.split(".")[0] in BUILTIN_TOOLSETS:
        raise CatalogError(f"`name`: {name} has the name of a built-in toolset, which is reserved")
    if toolset in catalog.toolsets:
        raise CatalogError(f"`name`: {name} would join the compiled toolset {toolset}; choose another name")


def _read(content: bytes, host: CommandHost, policies: Policies, profile: Profile) -> _UserTool:
    """Parse one file. Raises `CatalogError`, which names the field."""
    spec = parse_user_tool(content)
    limits = {"timeout_ms": spec.timeout_ms, "result_bytes": spec.stdout_limit_bytes}
    line = {"shell": spec.command} if spec.command_type == "shell" else {"exec": [spec.command, *spec.args]}
    definition = ToolDefinition(
        name=spec.name,
        description=spec.description,
        input_schema=spec.input_schema,
        permission=spec.permission,
        tags={*spec.tags, "declarative"},
        metadata={
            "kind": "command",
            "source": "declarative",
            "command": {**line, "cwd": spec.working_dir, "env": spec.env_allowlist},
            "limits": {name: limit for name, limit in limits.items() if limit is not None},
        },
    )
    from_adapter(_UserTools([definition], CommandExecutor({}, host)), profile)  # checks the schema
    command = _command(spec)
    if isinstance(command.line, ShellLine) and spec.permission == "readonly" and "dangerous" not in spec.tags:
        raise CatalogError(
            "`command_type`: a shell line needs `permission: write` or the tag `dangerous`; prefer command_type exec"
        )
    try:
        host.check_folder(command.cwd, policies)
    except CatalogError as error:
        raise CatalogError(f"`working_dir`: {error}") from error
    return _UserTool(definition=definition, command=command)


def _command(spec: UserToolFile) -> Command:
    fields = fields_of(spec.input_schema)
    line = _shell_line(spec, fields) if spec.command_type == "shell" else _exec_line(spec, fields)
    for name in line.names:
        if not _is_one_argument(fields[name]):
            raise CatalogError(
                f"`input_schema`: {name!r} is used in a template, so its type must be one of {', '.join(_SCALARS)}; "
                "arrays and objects are passed on stdin, with all other args, as JSON"
            )
    return Command(
        line=line,
        fields=fields,
        cwd=spec.working_dir,
        env=spec.env_allowlist,
        timeout_ms=spec.timeout_ms,
        stdout_bytes=spec.stdout_limit_bytes,
        stderr_bytes=spec.stderr_limit_bytes or STDERR_BYTES,
    )


def _exec_line(spec: UserToolFile, fields: Mapping[str, Any]) -> ExecLine:
    if "{{" in spec.command:
        raise CatalogError("`command`: a model cannot choose the program; put templates into `args`")
    try:
        arguments = ExecLine.parse(spec.args, fields)
    except CatalogError as error:
        raise CatalogError(f"`args`: {error}") from error
    return ExecLine((*ExecLine.parse([spec.command], fields).elements, *arguments.elements))


def _shell_line(spec: UserToolFile, fields: Mapping[str, Any]) -> ShellLine:
    if spec.args:
        raise CatalogError("`args` are for command_type exec; a shell line contains its templates")
    try:
        return ShellLine.parse(spec.command, fields)
    except CatalogError as error:
        raise CatalogError(f"`command`: {error}") from error


def _is_one_argument(schema: Any) -> bool:
    if not is_object(schema):
        return False
    if "enum" in schema:
        return all(isinstance(value, str | int | float) for value in schema["enum"])
    return schema.get("type") in _SCALARS
