"""The file of a user tool: the shape of its JSON, and what is wrong with one that has another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.json_text import NotJson, parse_unique
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.definition import PERMISSIONS, Permission
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


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
        found = parse_unique(content)
    except NotJson as error:
        raise CatalogError(f"it is not JSON: {error}") from None
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
