"""Registration at startup: functions and adapters, converted to the same definitions as compiled tools."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, TypeVar

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.execution import Form, run_handler, run_request
from toolgen.runtime.catalog.handler_signature import Handler, annotated_model, arity, name_of, positional
from toolgen.runtime.catalog.schema_profile import core_violations, with_definitions_in_place
from toolgen.schema.args import secret_pointers
from toolgen.schema.bounds import Bounds, compiled_validator, excess
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.catalog.execution import Execute

SchemaProfile: TypeAlias = Literal["core", "full"]
"""Which schemas are accepted: those that every provider supports (`core`), or all (`full`)."""

HandlerT = TypeVar("HandlerT", bound=Handler)

NO_ARGS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}


class ToolAdapter(Protocol):
    """A source of tools: defines them and runs them. Lookup and permission are handled by the runtime.

    An adapter that keeps to policies itself, such as that of user tools, has a method `under`: it takes the policies of
    a runtime, and returns the adapter to use. An adapter of files or programs has a text `folder`, where relative paths
    of its calls start: a runtime asks about the same paths.
    """

    def definitions(self) -> Iterable[ToolDefinition]:
        """Return the tools. Called once, at registration."""
        ...

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any | Awaitable[Any]:
        """Run one call: canonical JSON in, a `ToolResult` or a plain value out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredTool:
    """A definition and the function that runs it; `under`, if set, returns one that keeps to the policies of a runtime.

    Typed args are instances of `model`, typed results of `result_model`; plain JSON values if there is none. `folder`
    is where relative paths of calls start, for a tool of files and programs.
    """

    definition: ToolDefinition
    run: Execute
    form: Form
    model: type[BaseModel] | None = None
    result_model: type[BaseModel] | None = None
    under: Callable[[object], Execute] | None = None
    folder: str = ""


def from_handler(
    definition: ToolDefinition,
    handler: Handler,
    *,
    model: type[BaseModel] | None,
    result_model: type[BaseModel] | None,
    profile: SchemaProfile,
) -> RegisteredTool:
    """Bind a definition to a function, which receives its args as `model`, or as plain JSON values."""
    checked = _checked(definition, profile)
    run = run_handler(_of_args_and_meta(handler, arity(handler, model or dict)))
    return RegisteredTool(definition=checked, run=run, form=Form.TYPED, model=model, result_model=result_model)


def from_adapter(adapter: ToolAdapter, profile: SchemaProfile) -> list[RegisteredTool]:
    """Return all tools of an adapter."""
    execute: Any = getattr(adapter, "execute", None)
    try:
        inspect.signature(execute).bind(None, None)
    except TypeError:
        name = adapter.__qualname__ if isinstance(adapter, type) else f"a {type(adapter).__qualname__}"
        raise CatalogError(
            f"{name} is not an adapter: pass an object (not a class) with a method `execute(request, meta)`"
        ) from None
    checked = [_checked(definition, profile) for definition in adapter.definitions()]
    under: Callable[[object], ToolAdapter] | None = getattr(adapter, "under", None)
    return [
        RegisteredTool(
            definition=each,
            run=run_request(adapter, each.name),
            form=Form.CANONICAL,
            under=None if under is None else partial(_run_under, under, each.name),
            folder=getattr(adapter, "folder", ""),
        )
        for each in checked
    ]


def _run_under(under: Callable[[object], ToolAdapter], ident: str, policies: object) -> Execute:
    return run_request(under(policies), ident)


def input_schema_of(handler: Handler, given: Mapping[str, Any] | type[BaseModel] | None) -> Mapping[str, Any]:
    """Return the schema of a function's args: as given, or of the model that annotates its first parameter."""
    source = given if given is not None else annotated_model(handler)
    if source is not None:
        schema: Mapping[str, Any] = schema_of(source, f"the input_schema of {name_of(handler)}")
        return schema
    if not positional(handler):
        return NO_ARGS
    raise CatalogError(
        f"{name_of(handler)} has no args schema: annotate its first parameter with a pydantic model "
        "(imported at run time), or pass an input_schema"
    )


def schema_of(source: Any, what: str) -> Any:
    """Return a JSON Schema: the source itself, or that of a model. Raises `CatalogError` for anything else."""
    from toolgen.runtime.codec.pydantic_types import model_class  # brings pydantic

    model = model_class(source)
    if model is not None:
        from toolgen.runtime.catalog.plain_function import model_schema  # brings pydantic's generator of schemas

        return model_schema(model)
    _check_is_schema(source, what, "a pydantic model")
    return source


def _check_is_schema(source: Any, what: str, otherwise: str) -> None:
    if not isinstance(source, Mapping | bool):
        found = source.__qualname__ if isinstance(source, type) else f"a {type(source).__qualname__}"
        raise CatalogError(f"{what} is {found}: pass a JSON Schema as a dict, or {otherwise}")


def _of_args_and_meta(handler: Handler, count: int) -> Handler:
    if count == 2:
        return handler

    @wraps(handler)
    def of_args_and_meta(args: Any, _meta: ToolCallMeta) -> Any:
        return handler(args) if count else handler()

    return of_args_and_meta


def _checked(definition: ToolDefinition, profile: SchemaProfile) -> ToolDefinition:
    from jsonschema_rs import ReferencingError, ValidationError  # slow to import, as the next

    from toolgen.runtime.catalog.definition_check import check_metadata, check_schema

    otherwise = "`Model.model_json_schema()`; the decorator `catalog.tool` takes models as they are"
    given: dict[str, Any] = {"input_schema": definition.input_schema}
    if definition.result_schema is not None:
        given["result_schema"] = definition.result_schema
    for name, source in given.items():
        _check_is_schema(source, f"the {name} of {definition.name}", otherwise)
        given[name] = source if isinstance(source, bool) else dict(source)
        check_schema(given[name], f"the {name} of {definition.name}")
        if too_much := excess(given[name]):
            raise CatalogError(f"the {name} of {definition.name} cannot be used for validation: {too_much.reason}")
    check_metadata(definition.name, definition.metadata)
    schema = with_definitions_in_place(deepcopy(given["input_schema"]))
    if not is_object(schema) or schema.get("type") != "object":
        raise CatalogError(
            f"the input_schema of {definition.name} does not describe an object: `$` needs `type: object`"
        )
    if profile == "core":
        for path, keyword in core_violations(schema):
            raise CatalogError(
                f"the input_schema of {definition.name} uses `{keyword}` at {path}, which is outside the profile "
                'core; register it with profile="full", or remove it'
            )
    for source in given.values():
        try:
            compiled_validator(source, Bounds(source))
        except (ValidationError, ReferencingError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise CatalogError(f"a schema of {definition.name} is not a valid JSON Schema: {reason}") from error
    return replace(definition, input_schema=schema, metadata={**definition.metadata, **_secrets(definition, schema)})


def _secrets(definition: ToolDefinition, input_schema: Mapping[str, Any]) -> dict[str, list[str]]:
    """Find the fields that a definition marks as secret, like the compiler, besides those listed in its metadata."""
    sides = {"args_secrets": input_schema, "result_secrets": definition.result_schema}
    found = {name: [*definition.metadata.get(name, ()), *secret_pointers(schema)] for name, schema in sides.items()}
    return {name: pointers for name, pointers in found.items() if pointers}
