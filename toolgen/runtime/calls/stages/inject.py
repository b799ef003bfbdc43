"""Inject: adds the fields that the host injects, after the args were validated without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import isawaitable, iscoroutine
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from toolgen.contract.records import FailureKind, running_call
from toolgen.runtime.base.errors import CallFailed, ends_the_caller
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.codec.pydantic_types import model_class, wire_name
from toolgen.runtime.codec.typed_values import with_integers
from toolgen.runtime.redact.call_secrets import secrets_of_meta
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.misuse import HOST_AT_FAULT
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.calls.call import Call, Host, Tool
    from toolgen.runtime.catalog.execution import Execute

_DECODED: Final = ("service", "agent")
"""Kinds whose executors decode JSON by the schema, which lacks these fields: they read them from the meta."""


def bind(tool: Tool, host: Host, execute: Execute) -> Execute:
    """Return a function that runs a call with injected fields in `meta.injected`, and in args that have them."""
    names = tool.definition.settings.inject
    if not names:
        return execute
    in_args = _filler(tool)

    def run(given: Any, meta: ToolCallMeta) -> Any:
        values = {name: _value(name, tool, host, meta) for name in names}
        meta = meta.with_fields(injected=values)
        call: Call | None = running_call(meta)
        if call is not None:
            call.meta = meta
        return execute(in_args(tool, given, values), meta)

    return run


def _filler(tool: Tool) -> Callable[[Tool, Any, Mapping[str, Any]], Any]:
    if tool.form is Form.TYPED:
        return _fill_typed
    return _as_given if tool.definition.kind in _DECODED else _fill_text


def _as_given(_tool: Tool, payload: Any, _values: Mapping[str, Any]) -> Any:
    return payload


def _value(name: str, tool: Tool, host: Host, meta: ToolCallMeta) -> Any:
    if name not in host.inject:
        message = f"{tool.entry.ident} cannot run: the host provides no value for an injected field"
        raise CallFailed(FailureKind.UNAVAILABLE, "not_injected", message, "go on without it")
    try:
        value = host.inject[name](meta)
        if isawaitable(value):
            _drop(value)
            raise TypeError("it returned an awaitable instead of a value")
    except CallFailed:
        raise
    except BaseException as error:  # code of the host: what is not for the caller fails the call
        if not isinstance(error, Exception) and ends_the_caller(error):
            raise
        secrets = secrets_of_meta(meta)
        warn("the host failed to inject %s of %s", name, tool.entry.ident, error=error, secrets=secrets)
        message = f"{tool.entry.ident} did not run: the host failed to inject {name}"
        raise CallFailed(FailureKind.INTERNAL, "injection_failed", message, HOST_AT_FAULT) from error
    return value


def _drop(waiting: Any) -> None:
    """Close a coroutine that will not be awaited."""
    if iscoroutine(waiting):
        waiting.close()


def _fill_typed(tool: Tool, args: Any, values: Mapping[str, Any]) -> Any:
    """Return args with the fields that their type has. Raises `CallFailed` for a value of the wrong type."""
    model = model_class(type(args))
    if model is None:
        return args
    attributes = {wire_name(name, field): name for name, field in model.model_fields.items()}
    filled = args.model_copy()
    for name, value in values.items():
        if name in attributes:
            try:
                _assign(filled, model, attributes[name], value)
            except (ValueError, RecursionError) as error:
                message = f"the host injected a value of the wrong type into {tool.entry.ident}: {name}"
                raise CallFailed(FailureKind.INTERNAL, "wrongly_injected", message, HOST_AT_FAULT) from error
    if args.model_extra:  # an assignment drops an extra key with the name of the attribute
        filled.__pydantic_extra__ = dict(args.model_extra)
    return filled


def _assign(filled: Any, model: type[BaseModel], attribute: str, value: Any) -> None:
    """Set one attribute; as in a payload, `3.0` is an integer. Raises ValueError for a value of the wrong type."""
    assign = model.__pydantic_validator__.validate_assignment
    try:
        assign(filled, attribute, value)
    except ValueError:
        assign(filled, attribute, with_integers(value))


def _fill_text(tool: Tool, payload: bytes | str, values: Mapping[str, Any]) -> bytes:
    """Return JSON args with all the fields. Raises `CallFailed` for a value that is not JSON."""
    try:
        return canonical({**from_json(payload), **values})
    except (ValueError, TypeError, RecursionError) as error:
        message = f"the host injected a value that is not JSON into {tool.entry.ident}"
        raise CallFailed(FailureKind.INTERNAL, "wrongly_injected", message, HOST_AT_FAULT) from error
