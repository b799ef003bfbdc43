"""Plain functions: a function with parameters of its own, as a handler of one args model made from its signature."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError

from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.handler_signature import Handler, annotated_model, function_of, name_of
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaWarningKind


# The JSON Schema of a type of the host, as one would write it by hand.


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Export a model's JSON Schema as one would write it by hand: local types in place, no generated titles."""
    schema: dict[str, Any] = with_definitions_in_place(args_schema(model))
    return schema


def args_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of the values that a model accepts, with its local types as definitions."""
    return model.model_json_schema(schema_generator=_Untitled)


def result_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of what a type is serialized to. Raises what pydantic raises for one that has none."""
    return TypeAdapter(kind).json_schema(mode="serialization", schema_generator=_Untitled)


class _Untitled(GenerateJsonSchema):
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}
    """A default that is no JSON, such as an object of a framework, is left out; the field stays optional."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def encode_default(self, dft: Any) -> Any:
        encoded = super().encode_default(dft)
        try:
            json.dumps(encoded, allow_nan=False)
        except ValueError as error:  # pydantic then leaves the default out, with a warning
            raise PydanticSerializationError(str(error)) from error
        return encoded

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().dataclass_schema(schema), schema["cls"])

    def tagged_union_schema(self, schema: Any) -> dict[str, Any]:
        named = super().tagged_union_schema(schema)
        named.pop("discriminator", None)  # of OpenAPI; the literals of the members say the same
        return named

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().typed_dict_schema(schema), schema.get("cls"))


def _without_title(named: dict[str, Any], kind: Any) -> dict[str, Any]:
    if named.get("title") == getattr(kind, "__name__", None):
        named.pop("title", None)
    return named


_EMPTY = inspect.Parameter.empty
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class PlainFunction:
    """The args of a function as one model, and what runs it given an instance and the `ToolCallMeta`.

    `returns` is the annotation of its result; `untyped` are the parameters without an annotation, which take any JSON.
    """

    model: type[BaseModel]
    run: Handler
    returns: Any
    untyped: tuple[str, ...]


def plain_function(handler: Handler) -> PlainFunction | None:
    """Return a plain function; None if it takes all args as its first parameter, or none.

    The schema of each parameter is pydantic's, by its annotation and default. A parameter that is annotated with
    `ToolCallMeta` receives the meta. A function is plain if it has several other parameters, or one that is neither a
    model nor a dict. Raises `CatalogError` for a parameter without an annotation that is known at run time, of a type
    that JSON cannot hold, and for `*` and `**`.
    """
    try:
        signature = _Signature.of(handler)
    except (NameError, TypeError, ValueError):  # the check of the other form says what is wrong
        return None
    own, hints = signature.own, signature.hints
    if not own or not all(each.name in hints for each in own if each.kind not in _VARIADIC):
        return None
    if len(own) == 1 and (annotated_model(handler) or _may_be_dict(hints.get(own[0].name))):
        return None
    if annotated_model(handler) and all(each.default is not _EMPTY for each in own[1:]):
        return None
    return _spread(handler, signature)


def function_of_parameters(handler: Handler, *, is_new: bool = True) -> PlainFunction:
    """Return a function of which every parameter is an arg, however many there are and whatever their types.

    A parameter that is annotated with `ToolCallMeta` receives the meta. Raises `CatalogError` for a function whose
    signature or annotations are not known at run time, a parameter of a type that JSON cannot hold, and `*` and `**`.
    With `is_new` false, the types are not checked, because an import has done so: that takes most of the time.
    """
    try:
        signature = _Signature.of(handler)
    except NameError as error:
        raise CatalogError(
            f"{name_of(handler)} has an annotation that is not known at run time: {error}; import it outside of "
            "`if TYPE_CHECKING`"
        ) from error
    except (TypeError, ValueError) as error:
        raise CatalogError(f"{name_of(handler)} has no signature that can be read: {error}") from error
    return _spread(handler, signature, is_new=is_new)


@dataclass(frozen=True, slots=True)
class _Signature:
    """The parameters of a function, without those that receive the meta, and its annotations."""

    own: list[inspect.Parameter]
    metas: list[str]
    hints: Mapping[str, Any]

    @classmethod
    def of(cls, handler: Handler) -> _Signature:
        """Read a signature. Raises NameError, TypeError and ValueError, as `inspect` and `typing` do."""
        parameters = list(inspect.signature(handler).parameters.values())
        hints = get_type_hints(function_of(handler), localns={"ToolCallMeta": ToolCallMeta}, include_extras=True)
        metas = [each.name for each in parameters if hints.get(each.name) is ToolCallMeta]
        return cls([each for each in parameters if each.name not in metas], metas, hints)


def _spread(handler: Handler, signature: _Signature, *, is_new: bool = True) -> PlainFunction:
    untyped = tuple(each.name for each in signature.own if each.name not in signature.hints)
    model = _model_of(handler, signature.own, signature.hints, is_new=is_new)
    return PlainFunction(
        model, _runner(handler, signature.own, signature.metas), signature.hints.get("return", Any), untyped
    )


def _may_be_dict(hint: Any) -> bool:
    kind = getattr(hint, "__origin__", hint)
    return kind is Any or kind is object or (isinstance(kind, type) and issubclass(dict, kind))


def _model_of(
    handler: Handler, own: list[inspect.Parameter], hints: Mapping[str, Any], *, is_new: bool
) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(own):
        if parameter.kind in _VARIADIC:
            raise CatalogError(
                f"{name_of(handler)} takes `{parameter}`, so its args are not known: name each parameter"
            )
        marked = (hints.get(parameter.name, Any), Field(alias=parameter.name))
        fields[f"parameter_{number}"] = (Annotated[marked], ... if parameter.default is _EMPTY else parameter.default)
    config = ConfigDict(extra="forbid", use_attribute_docstrings=False)
    try:
        model: type[BaseModel] = create_model(
            f"{name_of(handler).rpartition('.')[2]}_args", __config__=config, **fields
        )
        if is_new:
            args_schema(model)
    except PydanticUserError as error:
        reason = str(error).partition("\n")[0]
        where = next((f"its parameter `{each.name}`: " for each in own if not _is_json(hints.get(each.name, Any))), "")
        raise CatalogError(f"{name_of(handler)} cannot be a tool: {where}{reason}") from error
    return model


def _is_json(hint: Any) -> bool:
    """Return whether values of a type come from JSON, as pydantic sees it."""
    try:
        TypeAdapter(hint).json_schema()
    except PydanticUserError:
        return False
    return True


def _runner(handler: Handler, own: list[inspect.Parameter], metas: list[str]) -> Handler:
    """Spread the fields of the model over the parameters, whose order is that of the signature."""
    names = {parameter.name: f"parameter_{number}" for number, parameter in enumerate(own)}
    order = list(inspect.signature(handler).parameters.values())
    positional = [each.name for each in order if each.kind is inspect.Parameter.POSITIONAL_ONLY]
    keywords = [each.name for each in order if each.name not in positional]

    @wraps(handler, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def run(args: Any, meta: ToolCallMeta) -> Any:
        def value(name: str) -> Any:
            return meta if name in metas else getattr(args, names[name])

        return handler(*map(value, positional), **{name: value(name) for name in keywords})

    del run.__wrapped__  # its signature is its own
    return run
