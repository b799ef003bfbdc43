"""Validation of registered definitions: they must have the same form as compiled ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.json_text import MAX_DEPTH
from toolgen.schema.json_values import is_object, is_text

MAX_VALUES: Final = 100_000
"""Maximum number of values in a schema; shared parts count each time."""

_Texts: TypeAlias = Sequence[str]
_Limit: TypeAlias = Literal["cooldown_seconds", "daily_limit", "timeout_ms", "result_bytes"]


class _Metadata(BaseModel):
    """The metadata keys that toolgen reads. Other keys belong to the host."""

    model_config = ConfigDict(strict=True, extra="allow")

    kind: str = ""
    source: str = ""
    source_name: str = ""
    roles: Sequence[Literal["main", "sub", "fork", "worker"]] | None = None
    access: Mapping[Literal["read", "search", "write", "exec", "cwd", "url", "hosts", "scope"], _Texts] = {}
    one_of: _Texts = ()
    inject: _Texts = ()
    limits: Mapping[_Limit, Annotated[int | float, Field(ge=0)] | None] = {}
    cost: Literal["free", "cheap", "expensive", ""] = ""
    gate: bool = False
    retry_hints: bool = False
    confirm: str = ""
    examples: Sequence[Mapping[str, Any]] = ()
    hints: Mapping[str, str] = {}
    server_data: Mapping[str, Any] = {}
    reminder: str = ""
    args_secrets: _Texts = ()
    result_secrets: _Texts = ()
    tag: Mapping[str, Any] = {}
    command: Mapping[str, Any] = {}


def check_metadata(name: str, metadata: Mapping[str, Any]) -> None:
    """Raise `CatalogError` for a metadata key that toolgen reads, if its value has the wrong type."""
    try:
        _Metadata.model_validate(dict(metadata))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in found["loc"])
        raise CatalogError(
            f"the metadata of {name}, at `{place}`: {found['msg'][0].lower()}{found['msg'][1:]}"
        ) from None


def check_schema(schema: Any, what: str) -> None:
    """Raise `CatalogError` for a schema that is not JSON, is nested too deeply, or is too large.

    `what` names the schema in messages. A schema that contains itself counts as nested too deeply.
    """
    values = 0
    level: list[Any] = [schema]
    for _ in range(MAX_DEPTH + 1):
        values += len(level)
        if values > MAX_VALUES:
            raise CatalogError(f"{what} holds more than {MAX_VALUES:,} values")
        level = [member for value in level for member in _members(value, what)]
        if not level:
            return
    raise CatalogError(f"{what} is nested more than {MAX_DEPTH} levels deep")


def _members(value: Any, what: str) -> Sequence[Any]:
    if is_object(value):
        strange = next((key for key in value if not is_text(key)), None)
        if strange is not None:
            raise CatalogError(f"{what} has the key {strange!r:.100}, but keys of JSON objects are strings")
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(cast("Iterable[Any]", value))
    if value is None or isinstance(value, str | int | float):
        return ()
    raise CatalogError(f"{what} holds a {type(value).__qualname__}, which is not JSON")
