"""Validation of registered definitions: they must have the same form as compiled ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.json_text import MAX_DEPTH
from toolgen.schema.json_values import is_mapping, is_object, is_text
from toolgen.spec.tool_settings import Example, ToolSettings

MAX_VALUES: Final = 100_000
"""Maximum number of values in a schema; shared parts count each time."""

_STRICT: Final = ConfigDict(strict=True, extra="forbid")


def _given(kind: Any) -> Any:
    """Return the type of a value as a host gives it: mappings in place of records, any sequence in place of tuples."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        item: Any = _given(parts[0])
        return Sequence[item]
    if origin in (Union, UnionType):
        return Union[tuple(map(_given, parts))]  # noqa: UP007  # of a computed number of types
    if kind in (int, float):
        return Annotated[kind, Field(ge=0)]
    return Annotated[_model(kind, _STRICT), BeforeValidator(_as_dict)] if is_dataclass(kind) else kind


def _as_dict(value: Any) -> Any:
    return dict(value) if is_mapping(value) else value


def _model(record: Any, config: ConfigDict) -> type[BaseModel]:
    hints = get_type_hints(record, localns={"Mapping": Mapping})
    of_fields = {
        each.name: (_given(hints[each.name]), ... if each.default is each.default_factory is MISSING else None)
        for each in fields(record)
        if not (record is Example and each.name == "has_result")
    }
    return create_model(record.__name__, __config__=config, **cast("dict[str, Any]", of_fields))


@cache
def _metadata() -> type[BaseModel]:
    """Return the model of the metadata that toolgen reads. Other keys belong to the host."""
    own: dict[str, Any] = {"kind": (str, ""), "source": (str, ""), "wire_name": (str, "")}
    return create_model("Metadata", __base__=_model(ToolSettings, ConfigDict(strict=True, extra="allow")), **own)


def check_metadata(name: str, metadata: Mapping[str, Any]) -> None:
    """Raise `CatalogError` for a metadata key that toolgen reads with a value that it cannot go by."""
    try:
        _metadata().model_validate(dict(metadata))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in found["loc"])
        raise CatalogError(
            f"the metadata of {name}, at `{place}`: {found['msg'][0].lower()}{found['msg'][1:]}"
        ) from None
    access: Mapping[str, Any] = metadata.get("access") or {}
    named = {key: names for key, names in access.items() if names is not None}
    check_access(name, named, metadata.get("inject", ()))


def check_access(ident: str, access: Mapping[str, Any], injected: Collection[str]) -> None:
    """Raise `CatalogError` for `access` that names a field which the host injects, as it does once a call may run."""
    for key, names in access.items():
        wrong = [name for name in ([names] if isinstance(names, str) else names) if name in injected]
        if wrong and key != "hosts":
            message = f"the access of {ident} names `{wrong[0]}` in `{key}`, which the host injects"
            raise CatalogError(f"{message}: a call is judged by the args that its caller gives; name only those")


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
