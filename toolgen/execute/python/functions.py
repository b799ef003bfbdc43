"""Functions and methods as tools: args by the signature, results by the return annotation."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from toolgen.changes.sources.described import Described
from toolgen.contract.records import ToolCallMeta, ToolResult
from toolgen.execute.python.tool import json_result
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.handler_signature import function_of, name_of
from toolgen.runtime.catalog.plain_function import function_of_parameters
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource

if TYPE_CHECKING:
    from collections.abc import Set

    from toolgen.runtime.catalog.handler_signature import Handler
    from toolgen.runtime.catalog.plain_function import PlainFunction

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
        from toolgen.runtime.catalog.model_schema import args_schema, result_schema  # slow to import

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
            return ToolResult(payload=self._serializer.dump_json(value, by_alias=True, warnings=False))
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
