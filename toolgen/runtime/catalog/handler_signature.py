"""Signatures of registered handlers: args and optionally the `ToolCallMeta`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, Union, get_args, get_origin, get_type_hints, is_typeddict

from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from pydantic import BaseModel

Handler: TypeAlias = Callable[..., Any]
"""A function of no argument, of the args, or of the args and `ToolCallMeta`; sync or async."""


def name_of(handler: Handler) -> str:
    """Return the name of a handler in messages."""
    name: str = getattr(handler, "__qualname__", type(handler).__qualname__)
    return name


def is_decorated(value: Any) -> bool:
    """Return whether an object is called in place of a function that it keeps, as those of decorators are.

    The object itself is not asked: a recorder or a proxy may answer any attribute, or raise.
    """
    return callable(value) and inspect.getattr_static(value, "__wrapped__", None) is not None


def function_of(handler: Handler) -> Handler:
    """Return the original function, behind decorators, `partial` and `__call__`."""
    while isinstance(handler, partial):
        handler = handler.func
    found = inspect.unwrap(handler) if is_decorated(handler) else handler
    return found if inspect.isroutine(found) or isinstance(found, type) else type(found).__call__


def annotated_model(handler: Handler) -> type[BaseModel] | None:
    """Return the pydantic model that annotates a function's first parameter, if available at run time."""
    from pydantic import BaseModel  # slow to import, and most catalogs are loaded without handlers

    parameters = positional(handler)
    annotation = _annotation(parameters[0], handler) if parameters else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def arity(handler: Handler, args: type) -> int:
    """Return the number of arguments of a handler: 0, 1 (args, of the class `args`), or 2 (args and meta).

    Raises `CatalogError` if no call could run it, or if a parameter would receive a value of another type.
    """
    parameters, name = positional(handler), name_of(handler)
    if parameters and not _admits(_annotation(parameters[0], handler), args):
        wanted = "dict[str, Any]" if args is dict else args.__name__
        raise CatalogError(
            f"the parameter `{parameters[0].name}` of {name} receives all args as one {args.__name__}, "
            f"but has another annotation: annotate it with {wanted}"
        )
    second = parameters[1] if len(parameters) > 1 else None
    if second and not _is_for_meta(second, handler):
        raise CatalogError(
            f"the parameter `{second.name}` of {name} would receive the ToolCallMeta, like every second parameter: "
            "annotate it with ToolCallMeta, or put `*` before it, or take all args as the first parameter"
        )
    count = min(len(parameters), 2)
    try:
        inspect.signature(handler).bind(*[None] * count)
    except TypeError as error:
        raise CatalogError(
            f"no call could run {name}: {error}. A handler takes all args as its first parameter and, optionally, "
            "the ToolCallMeta as its second; other parameters need a default"
        ) from None
    return count


def positional(handler: Handler) -> list[inspect.Parameter]:
    """Return the positional parameters of a handler. Raises `CatalogError` if they cannot be determined."""
    try:
        parameters = list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        raise CatalogError(
            f"{name_of(handler)} cannot be a handler, because it has no readable signature: pass a function of the args"
        ) from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [each for each in parameters if each.kind in kinds]
    if not found and any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        raise CatalogError(
            f"{name_of(handler)} does not show whether it takes the ToolCallMeta: "
            "declare the parameters `args` or `args, meta` instead of `*`"
        )
    return found


def _is_for_meta(parameter: inspect.Parameter, handler: Handler) -> bool:
    annotation = _annotation(parameter, handler)
    if annotation is Any:  # a default means that the parameter is for something else
        return parameter.default is inspect.Parameter.empty
    return _admits(annotation, ToolCallMeta)


def _annotation(parameter: inspect.Parameter, handler: Handler) -> Any:
    """Resolve an annotation; Any if there is none, or none at run time."""
    if parameter.annotation is inspect.Parameter.empty:
        return Any
    names = {"ToolCallMeta": ToolCallMeta, **getattr(function_of(handler), "__globals__", {})}
    carrier = type("carrier", (), {"__annotations__": {"it": parameter.annotation}})
    try:
        return get_type_hints(carrier, names)["it"]
    except (AttributeError, NameError, SyntaxError, TypeError):  # imported for type checking only, or not a type
        return Any


def _admits(annotation: Any, given: type) -> bool:
    """Whether an annotation accepts values of a class, as far as that can be determined."""
    if get_origin(annotation) in (Union, UnionType):
        return any(_admits(each, given) for each in get_args(annotation))
    kind = get_origin(annotation) or annotation
    if annotation is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    return given is dict if is_typeddict(kind) else issubclass(given, kind)
