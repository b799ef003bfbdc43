"""Value types: how a codec builds typed values from valid JSON values, and serializes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from toolgen.runtime.base.errors import InvalidPayload, TypesDisagree
from toolgen.runtime.base.json_text import RepeatedKey, json_bytes
from toolgen.runtime.codec.building import build_typed
from toolgen.runtime.codec.colliding_keys import check_keys_in
from toolgen.runtime.codec.extra_keys import confuses_extra_keys, correct_given_fields
from toolgen.runtime.codec.pydantic_types import adapter_of, dump_options, is_json_value, model_class, models_in
from toolgen.runtime.codec.typed_values import check_serializable, plain
from toolgen.runtime.issues.issues import MAX_ISSUES, issue
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.codec.codec_source import CodecSource


class ValueType:
    """The type of a codec's values. It does not decide validity; the schema does.

    `model` is its class, if it is one. `adapter` and `validate` are None where values stay plain JSON.
    """

    def __init__(self, source: CodecSource) -> None:
        self._name = source.name
        self._kind = source.type
        self._foreign = source.foreign
        self._asserts_formats = source.assert_formats
        self.model = model_class(source.type)
        is_json = source.type is None or is_json_value(source.type)
        self.adapter = None if is_json else adapter_of(source.type)

    @cached_property
    def validate(self) -> Callable[..., Any] | None:
        """The function that builds a value in strict mode; it takes pydantic's options."""
        if self.adapter is None:
            return None
        validator = self.adapter.validator
        if not self._foreign:
            return validator.validate_python
        is_confused = any(model is not None and confuses_extra_keys(model) for model in models_in(self._kind))
        return _validated_as_text(validator.validate_json, corrected=is_confused)

    @cached_property
    def options(self) -> dict[str, Any]:
        """The serializer's options. Each takes time, so only those with an effect are set.

        The schema decides what fits, so pydantic warns of nothing: its warnings quote values, which may be secret.
        """
        return {"warnings": False, **dump_options(self._kind)}

    def is_instance(self, value: Any) -> bool:
        """Whether a value is an instance of the class; False for types that are not classes."""
        return self.model is not None and isinstance(value, self.model)

    def build(self, value: Any) -> Any:
        """Build the typed value of a JSON value that is already validated.

        Raises `TypesDisagree`, and `InvalidPayload` if a class of the host rejects it.
        """
        if self.validate is None:
            return value
        try:
            if self._foreign:
                return self.validate(value, by_alias=True, by_name=False)
            return build_typed(self.validate, value)
        except ValidationError as error:
            if self._foreign:
                raise InvalidPayload(_issues(error)) from None
            from toolgen.runtime.codec.formats import issues_without_value  # few targets have typed formats

            if without_value := issues_without_value(error, value):
                raise InvalidPayload(without_value) from None
            raise TypesDisagree(
                f"the types of {self._name} cannot hold a value that its schema accepts: "
                f"{_issues(error)[0].hint}; run `toolgen build`, and restart the programs that imported it"
            ) from error

    def dump(self, value: Any) -> bytes:
        """Serialize a typed value without unset fields. Raises ValueError or RecursionError if it is not JSON.

        Raises `RepeatedKey` for keys that are the same in JSON, unless the value is an instance of the class: then the
        text has the key twice.
        """
        if self.adapter is None:
            text = json_bytes(value)  # rejects cycles
            check_serializable(value)
            return text
        # A model has checked its fields. Items of a plain list can be of any class, and must not be serialized as the
        # declared one.
        as_any = not self.is_instance(value)
        if as_any:
            check_serializable(value)
        serializer = self.adapter.serializer
        try:
            if self._foreign:  # as text, a class of the host has NaN as null, unless it says otherwise
                values = serializer.to_python(value, mode="json", serialize_as_any=as_any, **self.options)
                check_keys_in(value)
                return json_bytes(values)
            return serializer.to_json(value, serialize_as_any=as_any, **self.options)
        except RepeatedKey:
            raise
        except ValueError:
            return json_bytes(plain(value))


def _validated_as_text(validate_json: Callable[..., Any], *, corrected: bool) -> Callable[..., Any]:
    """Validate a JSON value as text: strict models of the host accept dates and similar types only from text."""

    def validate(value: Any, **options: Any) -> Any:
        typed = validate_json(json_bytes(value), **options)
        if corrected:
            correct_given_fields(typed, value)
        return typed

    return validate


def _issues(error: ValidationError) -> list[Issue]:
    found = error.errors(include_url=False, include_input=False, include_context=False)[:MAX_ISSUES]
    return [issue(pointer_of(each["loc"]), each["type"], each["msg"], "", each["msg"]) for each in found]
