"""Objects that a reference names: which are tools, and which contain them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator, Set
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import to_json

from toolgen.changes.tool_texts import Described
from toolgen.contract.records import ToolCallMeta, ToolResult
from toolgen.execute.python.frameworks import framework_of, json_result
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.handler_signature import function_of, is_decorated, name_of
from toolgen.runtime.catalog.plain_function import function_of_parameters
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource

if TYPE_CHECKING:
    from toolgen.execute.python.frameworks import PythonTool
    from toolgen.execute.python.references import Objects
    from toolgen.runtime.catalog.handler_signature import Handler
    from toolgen.runtime.catalog.plain_function import PlainFunction


# Functions and methods as tools: args by the signature, results by the return annotation.

_AWAITED: Final = (Awaitable, Coroutine)
_STREAMS: Final = (Iterator, AsyncIterator)


class FunctionTool:
    """A function or a bound method. Its args are decoded to the annotated types, and its result encoded by its own.

    A function that is not async runs in a thread: code that was not written for an event loop may block.
    """

    def __init__(self, function: Handler) -> None:
        self._function = function

    def describe(self) -> Described:
        """Return the schemas of the signature. Raises `CatalogError` for one that is not those of a tool."""
        from toolgen.runtime.catalog.plain_function import args_schema, result_schema  # slow to import

        if inspect.isgeneratorfunction(self._original) or inspect.isasyncgenfunction(self._original):
            raise CatalogError(f"{name_of(self._function)} yields values: a tool returns one")
        plain = function_of_parameters(self._function)
        result, problem = None, ""
        try:
            result = result_schema(self._returns) or None
        except PydanticUserError as error:
            problem = str(error).partition("\n")[0]
        return Described(
            name=getattr(self._original, "__name__", type(self._function).__name__),
            docstring=inspect.getdoc(self._original) or "",
            args=args_schema(plain.model),
            result=result,
            result_problem=problem,
            untyped=plain.untyped,
        )

    def misfit(self, args: Set[str]) -> str:
        """Return why a call with these args cannot run, by the names of the parameters."""
        fields = self._plain.model.model_fields.values()
        unknown = sorted(args - {str(each.alias) for each in fields})
        if unknown:
            return f"{name_of(self._function)} has no parameter `{unknown[0]}`"
        missing = sorted({str(each.alias) for each in fields if each.is_required()} - args)
        return f"{name_of(self._function)} needs `{missing[0]}`, which is not an arg of the tool" if missing else ""

    async def run(self, payload: bytes | str, meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the function. Raises `InvalidPayload` where one of its types rejects a value, and what it raises."""
        args = self._codec.decode(payload)
        if inspect.iscoroutinefunction(self._original):
            value = await self._plain.run(args, meta)
        else:
            value = await asyncio.to_thread(_called, self._plain, args, meta)
            if inspect.isawaitable(value):
                value = await value
        if isinstance(value, ToolResult) or self._serializer is None:
            return json_result(value)
        try:
            # not `dump_json`, for which NaN is null, unless the classes of the host say otherwise
            return ToolResult(
                payload=to_json(self._serializer.dump_python(value, mode="json", by_alias=True, warnings=False))
            )
        except ValueError:  # the value is not of the annotated type, nor JSON
            return ToolResult(value=value)

    @property
    def _original(self) -> Handler:
        return function_of(self._function)

    @cached_property
    def _plain(self) -> PlainFunction:
        return function_of_parameters(self._function, is_new=False)

    @cached_property
    def _codec(self) -> Codec[Any]:
        # The runtime has checked the schema, which the spec may have narrowed; types of the host may reject more.
        source = CodecSource(name=name_of(self._function), schema=True, type=self._plain.model, foreign=True)
        return Codec(lambda: source)

    @property
    def _returns(self) -> Any:
        """The annotation of the result, without what wraps it for the caller."""
        kind = self._plain.returns
        while (origin := get_origin(kind)) in _AWAITED or origin is ToolResult:
            kind = get_args(kind)[-1]
        if kind in (ToolResult, *_AWAITED) or origin in _STREAMS:
            return Any
        return kind

    @cached_property
    def _serializer(self) -> TypeAdapter[Any] | None:
        try:
            return TypeAdapter(self._returns)
        except PydanticUserError:  # the import has reported it, and the result is any JSON
            return None


def _called(plain: PlainFunction, args: Any, meta: ToolCallMeta) -> Any:
    """Call a function in a thread. A StopIteration would never leave it (python/cpython#112182)."""
    try:
        return plain.run(args, meta)
    except StopIteration as error:
        raise RuntimeError(f"StopIteration: {error}") from error


def tool_of(value: Any, objects: Objects) -> PythonTool:
    """Return a function, a method or a tool object as a tool. Raises `CatalogError` for anything else."""
    reader = framework_of(value)
    if reader is not None:
        tool: PythonTool = reader(objects.instance(value) if isinstance(value, type) else value)
        return tool
    if not is_function(value):
        kind = f"the class {value.__qualname__}" if isinstance(value, type) else f"a {type(value).__qualname__}"
        raise CatalogError(f"it is {kind}, and a handler is a function, a method or a tool object of a framework")
    return FunctionTool(value)


def is_function(value: Any) -> bool:
    """Return whether a value is a function, a method, or what is made of one by `partial` or a decorator."""
    return inspect.isroutine(value) or isinstance(value, partial) or is_decorated(value)


def is_app(value: Any) -> bool:
    """Return whether a value is an ASGI app that describes itself in OpenAPI, such as one of FastAPI."""
    return not isinstance(value, type) and callable(value) and callable(getattr(value, "openapi", None))


def members(value: Any) -> Iterator[str]:
    """Return the names of the tools that a module, a class or an object contains, in their order.

    Of a module: its own public functions and its tool objects, or those in `__all__`. Else the public methods of the
    class and of its bases in the same package.
    """
    if isinstance(value, ModuleType):
        public = getattr(value, "__all__", None)
        names = [name for name in vars(value) if not name.startswith("_")] if public is None else list(public)
        yield from (name for name in names if _has_tool(value, name, is_listed=public is not None))
        return
    kind = value if isinstance(value, type) else type(value)
    package = kind.__module__.partition(".")[0]
    own = [base for base in reversed(kind.__mro__) if base.__module__.partition(".")[0] == package]
    for name in dict.fromkeys(name for base in own for name in vars(base) if not name.startswith("_")):
        found = inspect.getattr_static(kind, name)
        if inspect.isfunction(found) or isinstance(found, classmethod | staticmethod):
            yield name


def _has_tool(module: ModuleType, name: str, *, is_listed: bool) -> bool:
    """Return whether a public name of a module is a tool.

    Proxies, such as those of the settings of a web framework, raise anything when they are asked for an attribute, or
    for their class, outside of a running application. They are no functions.
    """
    try:
        found = getattr(module, name, None)
        is_own = is_listed or getattr(found, "__module__", None) == module.__name__
        is_tool = not isinstance(found, type) and framework_of(found) is not None
        return is_tool or (is_own and is_function(found))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # whatever its code raises, also SystemExit
        return False


def constructor_problem(kind: type) -> str:
    """Return why an instance of a class cannot be made without args; empty if it can, as far as the signature shows."""
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        return str(error)
    except ValueError:  # a class in C
        return ""
    return ""
