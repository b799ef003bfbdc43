"""Typed formats: dates, times and UUIDs that keep the text they came as, for targets with `formats = "typed"`.

A decoded value is a `datetime`, `date`, `time` or `UUID` like any other, of a class of this module that carries its
text, and is written as that text wherever pydantic writes it. A value that is computed from it has no text, nor has one
that a program makes: these are written as their format asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias
from uuid import UUID

from pydantic_core import (
    PydanticCustomError,
    PydanticSerializationUnexpectedValue,
    SchemaSerializer,
    core_schema,
)

from toolgen.runtime.issues.issue_text import MAX_ISSUES, described, issue
from toolgen.schema.formats import TYPES, is_writable, is_written, parse_format, write_format
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
    from pydantic_core import CoreSchema

    from toolgen.contract.records import Issue
    from toolgen.schema.formats import FormattedValue

NO_VALUE: Final = "format_without_value"
NOT_WRITTEN: Final = "format"
"""The error of pydantic for a text that has its format and no value in Python."""

_WRITTEN: Final = {
    "date": "a date, YYYY-MM-DD",
    "date-time": "a date-time with an offset of whole minutes, such as Z",
    "time": "a time with an offset of whole minutes, such as Z",
    "uuid": "a UUID",
}


def formatted_text(value: FormattedValue) -> str:
    """Return the text that a value came as; of one that was made in Python, its text in RFC 3339 or RFC 9562."""
    return getattr(value, "_text", None) or write_format(value)


def with_text(name: str, text: str) -> FormattedValue | None:
    """Return the value of a text that has a format, and keeps the text; None where there is none."""
    value = parse_format(name, text, _CLASSES[name])
    if value is not None:
        object.__setattr__(value, "_text", text)
    return value


def issues_without_value(error: ValidationError, value: Any) -> list[Issue]:
    """Return what is wrong with the texts of a JSON value that the validator accepts and that have no value in Python.

    They have their format, as leap seconds and the year 0000; or jsonschema-rs is mistaken: 0.60.3 takes signs for
    digits, as in `2026-01-0-`.
    """
    found: list[Issue] = []
    for each in error.errors(include_url=False):
        name, text = str(each.get("ctx", {}).get("format")), each["input"]
        if each["type"] == NO_VALUE:
            hint = f"use a {name} without a leap second, of the year 0001 or later"
        elif each["type"] == NOT_WRITTEN and isinstance(text, str) and _is_accepted(name, text):
            hint = f"use {_WRITTEN[name]}"
        else:
            continue
        found.append(
            issue(_pointer(each["loc"], value), "format", f"a {name} with a value in Python", described(text), hint)
        )
    return found[:MAX_ISSUES]


def _is_accepted(name: str, text: str) -> bool:
    from jsonschema_rs import is_valid  # this happens for few texts

    return is_valid({"format": name}, text, validate_formats=True)


def _pointer(location: Sequence[str | int], value: Any) -> str:
    """Where an error of pydantic is in a JSON value: its location without the members of unions."""
    path: list[str | int] = []
    for part in location:
        members: dict[Any, Any] = value if is_object(value) else dict(enumerate(value)) if is_array(value) else {}
        if part in members:
            path.append(part)
            value = members[part]
    return pointer_of(path)


class _Kept:
    """What the classes have in common: pydantic writes their text, and a copy keeps it."""

    __slots__ = ()
    format: ClassVar[str]
    __pydantic_serializer__: Final = SchemaSerializer(
        core_schema.any_schema(
            serialization=core_schema.plain_serializer_function_ser_schema(formatted_text, when_used="json")
        )
    )

    def __reduce_ex__(self, protocol: Any) -> Any:
        text: str | None = getattr(self, "_text", None)
        if text is None:
            return super().__reduce_ex__(protocol)
        return with_text, (self.format, text)


class Date(_Kept, date):
    """A day, with its text."""

    format = "date"
    __slots__ = ("_text",)


class DateTime(_Kept, datetime):
    """A moment, with its text."""

    format = "date-time"
    __slots__ = ("_text",)


class Time(_Kept, time):
    """A time of day with an offset, and its text."""

    format = "time"
    __slots__ = ("_text",)


class Uuid(_Kept, UUID):
    """A UUID, with its text."""

    format = "uuid"
    __slots__ = ("_text",)


_CLASSES: Final[dict[str, type[FormattedValue]]] = {kind.format: kind for kind in (Date, DateTime, Time, Uuid)}


class _Format:
    """Has pydantic read and write the values of one format."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, value: object) -> FormattedValue:
        """Take a text of the format, or a value that can be written in it."""
        if is_writable(self.name, value):
            return value  # type: ignore[return-value]  # `is_writable` checked its class
        context: dict[str, Any] = {"written": _WRITTEN[self.name], "format": self.name}
        if not isinstance(value, str):
            raise PydanticCustomError(NOT_WRITTEN, "Input should be {written}", context)
        typed = with_text(self.name, value)
        if typed is not None:
            return typed
        if is_written(self.name, value):
            context["kind"] = TYPES[self.name].__name__
            raise PydanticCustomError(NO_VALUE, "Python's {kind} cannot hold this {format}", context)
        raise PydanticCustomError(NOT_WRITTEN, "Input should be {written}", context)

    def write(self, value: object) -> str:
        """Write a value; one of another kind is for another member of its union."""
        if not is_writable(self.name, value):
            raise PydanticSerializationUnexpectedValue(f"not {_WRITTEN[self.name]}")
        return formatted_text(value)  # type: ignore[arg-type]  # `is_writable` checked its class

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read,
            serialization=core_schema.plain_serializer_function_ser_schema(self.write, when_used="json"),
        )

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "format": self.name}


FormattedDate: TypeAlias = Annotated[date, _Format("date")]
FormattedDateTime: TypeAlias = Annotated[datetime, _Format("date-time")]
FormattedTime: TypeAlias = Annotated[time, _Format("time")]
FormattedUUID: TypeAlias = Annotated[UUID, _Format("uuid")]
