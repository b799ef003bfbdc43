"""User tools: the command tools in the files of a user."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from toolgen.execute.command import (
    STDERR_BYTES,
    Command,
    CommandExecutor,
    CommandHost,
    ExecLine,
    ShellLine,
    fields_of,
)
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.definition import PERMISSIONS, Permission, ToolDefinition
from toolgen.runtime.catalog.registration import from_adapter
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.redact.warning import warn
from toolgen.schema.fields import defaults_of
from toolgen.schema.json_values import is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.files import is_inside, open_file, too_large
from toolgen.spec.text import lines_of, visible

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.registration import SchemaProfile


# The file of a user tool: the shape of its JSON, and what is wrong with one that has another.


def _with_objects(schema: dict[str, Any]) -> dict[str, Any]:
    if all(is_object(schema.get(key, {})) for key in ("properties", "$defs", "definitions")):
        return schema
    raise ValueError("its fields and definitions stand in objects")


_Text = Annotated[str, Field(min_length=1)]
_Group = Annotated[list[str], Field(min_length=1)]
_Variable = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]
_Positive = Annotated[int, Field(gt=0)]
_A_TEXT = "a text"
_ABOVE_0 = "a whole number above 0"


class UserToolFile(BaseModel):
    """What one file holds. Descriptions say what a field must be; messages quote them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: _Text = Field(description=_A_TEXT)
    description: _Text = Field(description=_A_TEXT)
    input_schema: Annotated[dict[str, Any], AfterValidator(_with_objects)] = Field(
        description="a JSON Schema of an object"
    )
    permission: Permission = Field(default="write", description=f"one of {', '.join(PERMISSIONS)}")
    tags: list[_Text] = Field(default=[], description="a list of words")
    command_type: Literal["exec", "shell"] = Field(default="exec", description="one of exec, shell")
    command: _Text = Field(description=_A_TEXT)
    args: list[str | _Group] = Field(
        default=[],
        description="a list of texts, and of lists of texts that are omitted if one of their args is absent",
    )
    working_dir: _Text = Field(default=".", description="the path of a folder")
    env_allowlist: list[_Variable] = Field(default=[], description="a list of names of variables")
    timeout_ms: _Positive | None = Field(default=None, description=_ABOVE_0)
    stdout_limit_bytes: _Positive | None = Field(default=None, description=_ABOVE_0)
    stderr_limit_bytes: _Positive | None = Field(default=None, description=_ABOVE_0)


def parse_user_tool(content: bytes) -> UserToolFile:
    """Read the text of one file. Raises `CatalogError` with a line for each problem, which names the field."""
    try:
        found = parse(content)
    except NotJson as error:
        raise CatalogError(f"it is not JSON: {error.advice}") from None
    if not is_object(found):
        raise CatalogError("it is not an object; a tool is one object")
    try:
        return UserToolFile.model_validate(found)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        raise CatalogError("\n".join(dict.fromkeys(map(_problem, errors)))) from None


def _problem(error: ErrorDetails) -> str:
    field, known = str(error["loc"][0]), UserToolFile.model_fields
    match error["type"]:
        case "missing":
            return f"the field {field!r} is missing"
        case "extra_forbidden":
            meant = nearest(field, known, count=1)
            question = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(known)}"
            return f"there is no field {field!r}; {question}"
        case _:
            return f"`{field}` must be {known[field].description}"


# User files: files in a folder of a user's home, read only if no other user can have written them.

_LARGEST: Final = 1024 * 1024
"""Maximum size of a file, in bytes."""

_ROOT: Final = 0


class UserFile(NamedTuple):
    """A file by its name: its content, or why it is skipped."""

    name: str
    content: bytes = b""
    problem: str = ""


def user_files(home: str | Path, folder: str, suffix: str) -> Iterator[UserFile]:
    """Read the files of a folder in `home` whose names end in `suffix`, by name; none if there is no folder.

    Only regular files are read that belong to the user or root and that no other user may write. Links are followed
    inside the folder. Raises `CatalogError` for a folder that does not meet these conditions or is outside `home`.
    """
    place = Path(home, folder)
    if not os.path.lexists(place):
        return
    real, root = os.path.realpath(place), os.path.realpath(home)
    try:
        status = Path(real).stat()
        names = sorted(entry for entry in os.listdir(real) if entry.endswith(suffix))  # noqa: PTH208  # names are enough
    except OSError as error:
        raise CatalogError(f"{folder}: it is not a readable folder: {error.strerror}") from None
    if not is_inside(real, root):
        raise CatalogError(f"{folder}: it is a link that leads out of its home")
    if problem := _not_of_the_user(status):
        raise CatalogError(f"{folder}: {problem}")
    for name in names:
        try:
            yield UserFile(name, _read_file(os.path.join(real, name), real))  # noqa: PTH118  # texts throughout
        except (OSError, CatalogError) as error:
            yield UserFile(name, problem=str(error.strerror if isinstance(error, OSError) else error))


def _read_file(path: str, folder: str) -> bytes:
    real = os.path.realpath(path)
    if not is_inside(real, folder):
        raise CatalogError("it is a link that leads out of the folder")
    with open_file(real) as file:
        if problem := _not_of_the_user(os.fstat(file.fileno())):
            raise CatalogError(problem)
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise too_large(_LARGEST, path)
    return content


def _not_of_the_user(status: os.stat_result) -> str:
    """Return how another user may have written a file or a folder; empty if none can, or if the system has no users."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (os.geteuid(), _ROOT):
        return "it belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "users other than its owner may write it: run `chmod go-w` on it"
    return ""


# User-level command tools: the `*.json` files in the `tools` folder of the configured home, one tool each.
#
# They are read at startup, and validated like specs. No other folder is ever read: a checked-out project cannot add
# programs to run.

_SCALARS: Final = ("string", "integer", "number", "boolean")


def load_user_tools(
    catalog: Catalog, home: str | Path, host: CommandHost, *, profile: SchemaProfile = "core"
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
        self.folder = executor.folder

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


def _read(content: bytes, host: CommandHost, policies: Policies, profile: SchemaProfile) -> _UserTool:
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
        defaults=defaults_of(spec.input_schema),
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
