"""Codecs: JSON text to typed values and back. The JSON Schema is the authority, the types only carry its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from pydantic import BaseModel
from pydantic_core import from_json

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import SHORT, NotJson, RepeatedKey, check_keys, json_bytes, needs_care, parse
from toolgen.runtime.base.located import package_cache
from toolgen.runtime.codec.codec_source import CodecSource, compiled_source
from toolgen.runtime.codec.colliding_keys import colliding_keys
from toolgen.runtime.codec.exact_types import Doubt, compare_type_to_schema
from toolgen.runtime.codec.given_members import given_colons, member_counter
from toolgen.runtime.codec.typed_values import is_absent, remove, with_floats
from toolgen.runtime.codec.validation import Validation, is_closed
from toolgen.runtime.codec.value_type import ValueType
from toolgen.runtime.issues.issue_text import with_article
from toolgen.runtime.issues.issues import issue, leaves_of, not_json, not_serializable
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.base.packages import Side


T = TypeVar("T")

_LARGE: Final = re.compile(rb"\d{19}")
"""An integer that may exceed 2^63."""


_NULL, _NAN, _INFINITY = ("null", b"null"), ("NaN", b"NaN"), ("Infinity", b"Infinity")


class Codec(Generic[T]):
    """Decode, validate and encode one side of one tool.

    A codec accepts exactly what its schema accepts, and `encode(decode(x))` equals `x`, as JSON, for every valid `x`.
    Nothing is read, imported or compiled before the first use.
    """

    def __init__(self, source: Callable[[], CodecSource]) -> None:
        self._load = source

    @classmethod
    def of(cls, schema: Any, type_: Any = None, *, name: str = "value", assert_formats: bool = False) -> Codec[Any]:
        """Create a codec from a JSON Schema (2020-12, unless `$schema` names another draft) and the type of values."""
        return Codec(lambda: CodecSource(name=name, schema=schema, type=type_, assert_formats=assert_formats))

    @classmethod
    def of_package(cls, package: str, ident: str, side: Side) -> Codec[Any]:
        """Return the codec of one side of a compiled tool, by the import name of its package. One per process."""
        return _package_codec(package, ident, side)

    @property
    def schema(self) -> Any:
        """The JSON Schema. Must not be modified."""
        return self._source.schema

    @property
    def asserts_formats(self) -> bool:
        """Whether `format` is checked, and not only described."""
        return self._source.assert_formats

    def decode(self, payload: bytes | str) -> T:
        """Parse, validate and build. Raises `InvalidPayload`."""
        return self.decoder(payload)

    def decode_json(self, payload: bytes | str) -> Any:
        """Parse and validate only; the value stays plain JSON. Raises `InvalidPayload`."""
        try:
            value = parse(payload)
        except NotJson as error:
            raise InvalidPayload([not_json(error)]) from None
        if not self._is_valid(value):
            raise InvalidPayload(self._validation.issues(value))
        return value

    @cached_property
    def decoder(self) -> Callable[[bytes | str], T]:
        """`decode` as a plain function, for frequent callers.

        It is optimistic: a payload that is obviously valid takes one step if the type is exact and three otherwise; any
        other payload takes the slow path.
        """
        return self._exact_decoder or self._usual_decoder

    @cached_property
    def _exact_decoder(self) -> Callable[[bytes | str], T] | None:
        adapter = self._type.adapter
        if adapter is None or self._source.foreign or self._source.assert_formats:
            return None
        found = compare_type_to_schema(self._source.schema, self._source.type)
        if found is None:
            return None
        build, usual = adapter.validator.validate_json, self._usual_decoder
        if "by_alias" in self._type.options:  # without another name they change nothing, and take time
            build = partial(build, by_alias=True, by_name=False)
        members = member_counter(self._source.type)
        null_is_in_doubt, any_json_is = Doubt.NULL in found, Doubt.ANY_JSON in found

        def decode(payload: bytes | str) -> Any:
            try:
                if not (null_is_in_doubt and _holds(payload, _NULL)) and not (any_json_is and _may_be_unsafe(payload)):
                    value = build(payload)
                    # To ask for the class is faster than `isinstance`, and every call does it.
                    text: Any = payload
                    colons: int = text.count(":") if payload.__class__ is str else text.count(b":")
                    if colons != members(value):
                        check_keys(payload, value, members, given_colons)
                    return value
            except (ValueError, TypeError):
                pass  # take the slow path
            return usual(payload)

        return decode

    @cached_property
    def _usual_decoder(self) -> Callable[[bytes | str], T]:
        is_valid, validate, is_closed = self._is_valid, self._type.validate or _itself, self._is_closed
        # Closed: no object has a key that its class lacks. Skipping that check saves a fifth of the time.
        extra = "ignore" if is_closed and self._type.model else None

        def decode(payload: bytes | str) -> Any:
            try:
                value = from_json(payload, allow_inf_nan=False)
                if ((is_closed and len(payload) <= SHORT) or not needs_care(payload)) and is_valid(value):
                    check_keys(payload, value)
                    return validate(value, by_alias=True, by_name=False, extra=extra)
            except (ValueError, TypeError):
                pass
            return self.build(self.decode_json(payload))

        return decode

    def check(self, value: Any) -> tuple[Issue, ...]:
        """Return the issues of a JSON value; none if it is valid."""
        try:
            self.decode_json(json_bytes(value))
        except NotJson as error:
            return (not_json(error),)
        except InvalidPayload as error:
            return error.issues
        return ()

    def build(self, value: Any) -> T:
        """Build the typed value of a JSON value that is already validated. Raises `TypesDisagree`."""
        return cast("T", self._type.build(value))

    def encode(self, value: T) -> bytes:
        """Encode a typed value as canonical JSON. Raises `InvalidPayload` if it does not fit the schema."""
        return canonical(self._encode(value)[1])

    def encode_fields(self, fields: Mapping[str, Any]) -> bytes:
        """Encode an object, given as its fields, as canonical JSON. Raises `InvalidPayload`."""
        return canonical(self._encode(fields)[1])

    def normalize(self, value: Any, *, verb: str = "return") -> tuple[T, bytes]:
        """Return what a handler returned as a typed value and as compact JSON, in the order of the value.

        A JSON value that fits the schema is accepted in place of a model; an instance of another model is not. `verb`
        is for the hint of the error. Raises `InvalidPayload`.
        """
        model = self._type.model
        if model is not None and isinstance(value, BaseModel) and not isinstance(value, model):
            wanted, found = model.__name__, type(value).__name__
            hint = f"{verb} {with_article(wanted)}, not {with_article(found)}"
            raise InvalidPayload([issue("", "type", wanted, found, hint)])
        text, json_value = self._encode(value)
        if self._type.adapter is None or self._type.is_instance(value):
            return cast("T", value), text
        return self.build(json_value), text

    @cached_property
    def fast_dump(self) -> tuple[type[BaseModel] | None, Callable[[Any], Any], Callable[[Any], bool]]:
        """The fast path from a typed value to its JSON value: the class, a dump function, and a validity check.

        Use `normalize` for values of any other class, for those whose dump raises ValueError or is not valid, and for
        all values if the class is None.
        """
        model, adapter = self._type.model, self._type.adapter
        if model is None or adapter is None or not self._is_closed:
            return None, _itself, self._is_valid
        to_python, options = adapter.serializer.to_python, dict[str, Any](self._type.options)
        if self._source.assert_formats:
            options["mode"] = "json"  # of a date its text
        return model, partial(to_python, **options), self._is_valid

    def _encode(self, value: Any) -> tuple[bytes, Any]:
        try:
            text = self._type.dump(value)
            json_value = parse(text, may_repeat=self._type.is_instance(value))
        except RepeatedKey as error:
            raise InvalidPayload([colliding_keys(value, error)]) from None
        except (ValueError, RecursionError) as error:
            raise InvalidPayload([not_serializable(str(error))]) from None
        if self._is_valid(json_value):
            return text, json_value
        if _LARGE.search(text) and self._is_valid(as_floats := with_floats(json_value)):
            return json_bytes(as_floats), as_floats
        self._remove_absent(value, json_value)
        return json_bytes(json_value), json_value

    def _remove_absent(self, value: Any, json_value: Any) -> None:
        """Remove optional fields that were set to None and may not be null, until the value is valid."""
        while not self._is_valid(json_value):
            leaves = leaves_of(self._validation.errors(json_value))
            nulls = {tuple(error.instance_path) for error in leaves if error.instance is None and error.instance_path}
            absent = [path for path in nulls if is_absent(value, path, self._type.model)]
            if not absent:
                raise InvalidPayload(self._validation.issues(json_value))
            for path in absent:
                remove(json_value, path)

    @cached_property
    def _source(self) -> CodecSource:
        return self._load()

    @cached_property
    def _validation(self) -> Validation:
        return Validation(self._source.schema, assert_formats=self._source.assert_formats)

    @cached_property
    def _is_valid(self) -> Callable[[Any], bool]:
        return self._validation.is_valid

    @cached_property
    def _type(self) -> ValueType:
        return ValueType(self._source)

    @cached_property
    def _is_closed(self) -> bool:
        return is_closed(self._source.schema, self._source.type)


def _holds(payload: bytes | str, word: tuple[str, bytes]) -> bool:
    """Whether a text contains a word."""
    return word[0] in payload if isinstance(payload, str) else word[1] in payload


def _may_be_unsafe(payload: bytes | str) -> bool:
    """Whether a text may contain a non-finite number or be nested too deeply: a cheap check with false positives."""
    # Most texts have not even the letters: to look for one of them takes a fifth of the time that a word takes.
    has_letter = "N" in payload or "I" in payload if isinstance(payload, str) else b"N" in payload or b"I" in payload
    return (has_letter and (_holds(payload, _NAN) or _holds(payload, _INFINITY))) or needs_care(payload)


@package_cache
def _package_codec(package: str, ident: str, side: Side) -> Codec[Any]:
    return Codec(lambda: compiled_source(package, ident, side))


def _itself(value: Any, **_options: Any) -> Any:
    return value
