"""User-level command tools: the `*.json` files in the `tools` folder of the configured home, one tool each.

They are read at startup, and validated like specs. No other folder is ever read: a checked-out project cannot add
programs to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.command import STDERR_BYTES, Command, CommandExecutor, CommandHost, fields_of
from toolgen.execute.command_line import ExecLine, ShellLine
from toolgen.execute.user_files import user_files
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.json_text import NotJson, parse_unique
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.definition import PERMISSIONS, ToolDefinition
from toolgen.runtime.catalog.registration import from_adapter
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_types import is_array, is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.registration import Profile

_TYPES: Final = ("exec", "shell")
_SCALARS: Final = ("string", "integer", "number", "boolean")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def load_user_tools(
    catalog: Catalog, home: str | Path, host: CommandHost, *, profile: Profile = "core"
) -> tuple[str, ...]:
    """Register the tools in `<home>/tools/*.json` with an open catalog, all or none; return their names, by file name.

    A file that is not regular, leads out of the folder, belongs to another user or may be written by others is skipped,
    with a warning. Raises `CatalogError` for such a folder, and with the error of each file, one line per file and
    field. User tools cannot be in a toolset that is built in or compiled.
    """
    tools: list[_UserTool] = []
    problems: list[str] = []
    for file in user_files(home, "tools", ".json"):
        if file.problem:
            warn("the user tool tools/%s is skipped: %s", visible(file.name), file.problem)
            continue
        try:
            tools.append(_read(file.content, host, profile))
            _check_toolset(tools[-1].definition.name, catalog)
        except CatalogError as error:
            problems.append(f"tools/{visible(file.name)}: {error}")
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


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_schema(value: Any) -> bool:
    return is_object(value) and all(is_object(value.get(key, {})) for key in ("properties", "$defs", "definitions"))


def _is_words(value: Any) -> bool:
    return is_array(value) and all(_is_text(item) for item in value)


def _is_elements(value: Any) -> bool:
    return is_array(value) and all(
        isinstance(item, str) or (is_array(item) and item and all(isinstance(each, str) for each in item))
        for item in value
    )


def _is_variables(value: Any) -> bool:
    return is_array(value) and all(isinstance(item, str) and _VARIABLE.fullmatch(item) for item in value)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_FIELDS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "name": ("a text", _is_text),
    "description": ("a text", _is_text),
    "input_schema": ("a JSON Schema of an object", _is_schema),
    "permission": (f"one of {', '.join(PERMISSIONS)}", lambda value: value in PERMISSIONS),
    "tags": ("a list of words", _is_words),
    "command_type": (f"one of {', '.join(_TYPES)}", lambda value: value in _TYPES),
    "command": ("a text", _is_text),
    "args": ("a list of texts, and of lists of texts that are omitted if one of their args is absent", _is_elements),
    "working_dir": ("the path of a folder", _is_text),
    "env_allowlist": ("a list of names of variables", _is_variables),
    "timeout_ms": ("a whole number above 0", _is_positive),
    "stdout_limit_bytes": ("a whole number above 0", _is_positive),
    "stderr_limit_bytes": ("a whole number above 0", _is_positive),
}
_REQUIRED: Final = ("name", "description", "input_schema", "command")


def _check_toolset(name: str, catalog: Catalog) -> None:
    toolset = name.rpartition(".")[0]
    if name.split(".")[0] in BUILTIN_TOOLSETS:
        raise CatalogError(f"`name`: {name} has the name of a built-in toolset, which is reserved")
    if toolset in catalog.toolsets:
        raise CatalogError(f"`name`: {name} would join the compiled toolset {toolset}; choose another name")


def _read(content: bytes, host: CommandHost, profile: Profile) -> _UserTool:
    """Parse one file. Raises `CatalogError`, which names the field."""
    try:
        spec = parse_unique(content)
    except NotJson as error:
        raise CatalogError(f"it is not JSON: {error}") from None
    _check_fields(spec)
    permission, tags = spec.get("permission", "write"), frozenset(spec.get("tags", ()))
    limits = {"timeout_ms": spec.get("timeout_ms"), "result_bytes": spec.get("stdout_limit_bytes")}
    definition = ToolDefinition(
        name=spec["name"],
        description=spec["description"],
        input_schema=spec["input_schema"],
        permission=permission,
        tags=tags | {"declarative"},
        metadata={
            "kind": "command",
            "source": "declarative",
            "limits": {name: limit for name, limit in limits.items() if limit is not None},
        },
    )
    from_adapter(_UserTools([definition], CommandExecutor({}, host)), profile)  # checks the schema
    command = _command(spec)
    if isinstance(command.line, ShellLine) and permission == "readonly" and "dangerous" not in tags:
        raise CatalogError(
            "`command_type`: a shell line needs `permission: write` or the tag `dangerous`; prefer command_type exec"
        )
    try:
        host.check_folder(command.cwd)
    except CatalogError as error:
        raise CatalogError(f"`working_dir`: {error}") from error
    return _UserTool(definition=definition, command=command)


def _check_fields(spec: Any) -> None:
    if not is_object(spec):
        raise CatalogError("it is not an object; a tool is one object")
    for name, value in spec.items():
        if name not in _FIELDS:
            meant = nearest(name, _FIELDS, count=1)
            question = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(_FIELDS)}"
            raise CatalogError(f"there is no field {name!r}; {question}")
        wanted, fits = _FIELDS[name]
        if not fits(value):
            raise CatalogError(f"`{name}` must be {wanted}")
    for name in _REQUIRED:
        if name not in spec:
            raise CatalogError(f"the field {name!r} is missing")


def _command(spec: Mapping[str, Any]) -> Command:
    fields = fields_of(spec["input_schema"])
    line = _shell_line(spec, fields) if spec.get("command_type", "exec") == "shell" else _exec_line(spec, fields)
    for name in line.names:
        if not _is_one_argument(fields[name]):
            raise CatalogError(
                f"`input_schema`: {name!r} is used in a template, so its type must be one of {', '.join(_SCALARS)}; "
                "arrays and objects are passed on stdin, with all other args, as JSON"
            )
    return Command(
        line=line,
        fields=fields,
        cwd=spec.get("working_dir", "."),
        env=spec.get("env_allowlist", ()),
        timeout_ms=spec.get("timeout_ms"),
        stdout_bytes=spec.get("stdout_limit_bytes"),
        stderr_bytes=spec.get("stderr_limit_bytes", STDERR_BYTES),
    )


def _exec_line(spec: Mapping[str, Any], fields: Mapping[str, Any]) -> ExecLine:
    if "{{" in spec["command"]:
        raise CatalogError("`command`: a model cannot choose the program; put templates into `args`")
    try:
        arguments = ExecLine.parse(spec.get("args", ()), fields)
    except CatalogError as error:
        raise CatalogError(f"`args`: {error}") from error
    return ExecLine((*ExecLine.parse([spec["command"]], fields).elements, *arguments.elements))


def _shell_line(spec: Mapping[str, Any], fields: Mapping[str, Any]) -> ShellLine:
    if spec.get("args"):
        raise CatalogError("`args` are for command_type exec; a shell line contains its templates")
    try:
        return ShellLine.parse(spec["command"], fields)
    except CatalogError as error:
        raise CatalogError(f"`command`: {error}") from error


def _is_one_argument(schema: Any) -> bool:
    if not is_object(schema):
        return False
    if "enum" in schema:
        return all(isinstance(value, str | int | float) for value in schema["enum"])
    return schema.get("type") in _SCALARS
