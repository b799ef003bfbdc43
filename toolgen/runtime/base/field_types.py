"""Types of the fields of records that programs, files and databases give: one check, and one message for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.schema.json_values import is_array, is_mapping, is_number, is_object, is_sequence

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    RecordT = TypeVar("RecordT", bound=DataclassInstance)
else:
    RecordT = TypeVar("RecordT")

_YEAR_10_000: Final = 253_402_300_800

_SHOWN: Final = 100
"""Characters of a value that a message shows at most."""


@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field must be, as a sentence goes on after "it must", and whether a value is that."""

    what: str
    accepts: Callable[[Any], bool]


def is_finite(value: Any) -> bool:
    """Whether a value is a number, and neither a boolean nor infinite, nor one that is too large for a float."""
    try:
        return is_number(value) and isfinite(value)
    except OverflowError:
        return False


def is_json_object(value: Any) -> bool:
    """Whether a value is a mapping that JSON has, without NaN and infinities."""
    try:
        return is_mapping(value) and bool(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return False


TEXT: Final = FieldType("be text", lambda value: isinstance(value, str))
OPTIONAL_TEXT: Final = FieldType("be text or null", lambda value: value is None or isinstance(value, str))
BOOLEAN: Final = FieldType("be true or false", lambda value: isinstance(value, bool))
WHOLE_NUMBER: Final = FieldType("be a whole number", lambda value: is_number(value) and isinstance(value, int))
NUMBER: Final = FieldType("be a number", is_finite)
OPTIONAL_NUMBER: Final = FieldType("be a number or null", lambda value: value is None or is_finite(value))
JSON_OBJECT: Final = FieldType("be a JSON object, without NaN and infinities", is_json_object)
OPTIONAL_JSON_OBJECT: Final = FieldType(
    "be a JSON object, without NaN and infinities, or null", lambda value: value is None or is_json_object(value)
)
TIME: Final = FieldType(
    "be in seconds since 1970, before the year 10000", lambda value: is_finite(value) and 0 <= value < _YEAR_10_000
)
TEXTS: Final = FieldType("be an array of texts", lambda value: is_sequence(value) and all(map(TEXT.accepts, value)))
COUNTS: Final = FieldType(
    "be an object of whole numbers",
    lambda value: is_mapping(value) and TEXTS.accepts([*value]) and all(map(WHOLE_NUMBER.accepts, value.values())),
)
OPTIONAL_TEXTS: Final = FieldType("be an array of texts, or null", lambda value: value is None or TEXTS.accepts(value))
TEXTS_BY_NAME: Final = FieldType(
    "be an object of texts",
    lambda value: is_mapping(value) and all(map(TEXT.accepts, (*value, *value.values()))),
)


def array_of(kind: type, what: str) -> FieldType:
    """Return the type of arrays whose items are of a class, which `what` names."""
    return FieldType(
        f"be an array of {what}", lambda value: is_sequence(value) and all(isinstance(each, kind) for each in value)
    )


def check_fields(record: Any, types: Mapping[str, FieldType], where: str = "") -> None:
    """Raise ValueError for the first field of another type. `where` comes before its name."""
    for name, wanted in types.items():
        value = getattr(record, name)
        if not wanted.accepts(value):
            raise ValueError(f"{where}{name} is {shown(value)}; it must {wanted.what}")


def record_of(kind: type[RecordT], given: Any, where: str) -> RecordT:
    """Return the record whose fields a JSON object has. Raises ValueError for other values, and for other fields."""
    if not is_object(given):
        raise ValueError(f"{where} is {shown(given)}; it must be an object")
    known = {each.name: each.default is each.default_factory is MISSING for each in fields(kind)}
    if unknown := given.keys() - known:
        raise ValueError(f"{where} has {shown(min(unknown))}; its fields are {', '.join(known)}")
    if missing := [name for name, is_needed in known.items() if is_needed and name not in given]:
        raise ValueError(f"{where} has no {missing[0]}")
    return kind(**given)


def array(given: Any, where: str) -> list[Any]:
    """Return a JSON array. Raises ValueError for any other value."""
    if not is_array(given):
        raise ValueError(f"{where} is {shown(given)}; it must be an array")
    return given


def shown(value: Any) -> str:
    """Return a value as messages show it, in ASCII and short."""
    if isinstance(value, str):
        return ascii(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}...")
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # a number of many digits, or a value of many levels
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
