"""Tool objects of frameworks for agents, read and called through what the frameworks make public.

A framework is never imported to find out whether an object is one of its tools: if it is, it is imported already.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from pydantic import ValidationError
from pydantic_core import to_json

from toolgen.changes.tool_texts import Described
from toolgen.contract.records import ToolResult
from toolgen.runtime.base.errors import CatalogError, InvalidPayload, rejected
from toolgen.runtime.issues.issues import issue
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta


# A tool in Python: what a function or a tool object says of itself, and how it is called.


class PythonTool(Protocol):
    """One tool in Python."""

    def describe(self) -> Described:
        """Return what the tool says of itself. Raises `CatalogError` for one that no spec can have."""
        ...

    def misfit(self, args: Set[str], /) -> str:
        """Return why a call with these args cannot run; empty if it can, as far as the signature shows."""
        ...

    async def run(self, payload: bytes | str, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call, given args that fit the schema, as JSON text. Raises `InvalidPayload` for one that does not."""
        ...


def json_result(value: Any) -> ToolResult[Any]:
    """Return a value of any type as the result of a call; the runtime rejects one that JSON cannot hold."""
    if isinstance(value, ToolResult):
        result: ToolResult[Any] = value  # pyright: ignore[reportUnknownVariableType]  # isinstance knows no parameters
        return result
    try:
        return ToolResult(payload=to_json(value, by_alias=True))
    except ValueError:  # of a type that is not JSON
        return ToolResult(value=value)


class _ToolObject:
    """A tool object. Its name in `module` is that of its public class."""

    module: ClassVar[str]
    public: ClassVar[str]

    def __init__(self, tool: Any) -> None:
        self._tool = tool

    def misfit(self, _args: Set[str]) -> str:
        """A tool object checks the args of each call itself."""
        return ""


class PydanticAiTool(_ToolObject):
    """A `pydantic_ai.Tool`, called by a `FunctionToolset`."""

    module, public = "pydantic_ai", "Tool"

    def describe(self) -> Described:
        """Return its `tool_def`. Raises `CatalogError` for a tool that needs the context of an agent."""
        if self._tool.takes_ctx:
            raise CatalogError("it takes a `RunContext`, which only its agent has: write a function without it")
        found = self._tool.tool_def
        return Described(
            name=found.name,
            description=found.description or "",
            args=found.parameters_json_schema,
            result=found.return_schema,
        )

    async def run(self, payload: bytes | str, meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the tool. `ModelRetry` rejects the call with its message."""
        from pydantic_ai import FunctionToolset, ModelRetry, RunContext, RunUsage
        from pydantic_ai.messages import ToolReturn
        from pydantic_ai.models.test import TestModel

        name = self._tool.name
        # The runtime has already asked for permission. No model takes part: a context has to have one.
        context = RunContext[None](
            deps=None,
            model=TestModel(),
            usage=RunUsage(),
            tool_call_id=meta.tool_call_id,
            tool_name=name,
            tool_call_approved=True,
        )
        toolset = FunctionToolset[None]([self._tool])
        tool = (await toolset.get_tools(context))[name]
        try:
            args = tool.args_validator.validate_json(payload, context=context.validation_context)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)
            raise InvalidPayload(
                [issue(pointer_of(each["loc"]), each["type"], each["msg"], "", each["msg"]) for each in found]
            ) from error
        try:
            value = await toolset.call_tool(name, args, context, tool)
        except ModelRetry as error:
            raise rejected("retry", error.message) from error
        return json_result(value.return_value if isinstance(value, ToolReturn) else value)


class LangChainTool(_ToolObject):
    """A `BaseTool` of LangChain, called by `ainvoke`."""

    module, public = "langchain_core.tools", "BaseTool"

    def describe(self) -> Described:
        """Return its `tool_call_schema`, which has no injected args. LangChain has no schema of results."""
        schema = self._tool.tool_call_schema
        args = schema if is_object(schema) else schema.model_json_schema()
        own = ("title", "description")
        return Described(
            name=self._tool.name,
            description=self._tool.description,
            args={key: value for key, value in args.items() if key not in own},
            tags=frozenset(self._tool.tags or ()),
        )

    async def run(self, payload: bytes | str, _meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the tool. A `ToolException` rejects the call with its message."""
        from langchain_core.tools import ToolException

        try:
            return json_result(await self._tool.ainvoke(json.loads(payload)))
        except ToolException as error:
            raise rejected("tool_exception", str(error)) from error


class OpenAiAgentsTool(_ToolObject):
    """A `FunctionTool` of OpenAI Agents, called by `on_invoke_tool`."""

    module, public = "agents", "FunctionTool"

    def describe(self) -> Described:
        """Return its name, description and schemas."""
        return Described(
            name=self._tool.name,
            description=self._tool.description,
            args=self._tool.params_json_schema,
            result=self._tool.output_json_schema,
        )

    async def run(self, payload: bytes | str, meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the tool. Its own `failure_error_function` decides whether an exception becomes a text."""
        from agents.tool_context import ToolContext

        text = payload if isinstance(payload, str) else payload.decode()
        context = ToolContext(
            context=None, tool_name=self._tool.name, tool_call_id=meta.tool_call_id, tool_arguments=text
        )
        return json_result(await self._tool.on_invoke_tool(context, text))


class FastMcpTool(_ToolObject):
    """A `Tool` of FastMCP, called by `run`."""

    module, public = "fastmcp.tools", "Tool"

    def describe(self) -> Described:
        """Return what a server of FastMCP would offer."""
        annotations = self._tool.annotations
        hints: dict[str, Any] = (
            annotations.model_dump(by_alias=True, exclude_none=True) if annotations is not None else {}
        )
        return Described(
            name=self._tool.name,
            title=self._tool.title or hints.pop("title", None) or "",
            description=self._tool.description or "",
            args=self._tool.parameters,
            result=self._tool.output_schema,
            tags=frozenset(self._tool.tags),
            annotations=hints,
        )

    async def _called(self, args: dict[str, Any]) -> Any:
        return await self._tool.run(args)

    async def run(self, payload: bytes | str, _meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the tool. A `ToolError` and an error result reject the call with their message."""
        from fastmcp.exceptions import ToolError
        from mcp_types import CallToolResult

        from toolgen.execute.mcp.content import result_of
        from toolgen.execute.result_texts import ResultTexts

        try:
            found = await self._called(json.loads(payload))
        except ToolError as error:
            raise rejected("tool_error", str(error)) from error
        answer = CallToolResult(
            content=found.content, structured_content=found.structured_content, is_error=found.is_error
        )
        texts = ResultTexts(self._tool.output_schema, self._tool.name)
        return await result_of(answer, texts=texts, keep=None)


class FastMcpServerTool(FastMcpTool):
    """A tool of a `FastMCP` server, called by the server's `call_tool`, with its middleware and its context."""

    def __init__(self, server: Any, tool: Any) -> None:
        super().__init__(tool)
        self._server = server
        self.name: str = tool.name

    async def _called(self, args: dict[str, Any]) -> Any:
        return await self._server.call_tool(self.name, args)


class SmolagentsTool(_ToolObject):
    """A `Tool` of smolagents, called as a function, in a thread."""

    module, public = "smolagents", "Tool"
    _TYPES: ClassVar = {
        **{name: {"type": name} for name in ("string", "boolean", "integer", "number", "array", "object", "null")},
        "any": {},
    }

    def describe(self) -> Described:
        """Return its inputs as a schema. Raises `CatalogError` for an image and for sound, which are no JSON."""
        inputs: dict[str, dict[str, Any]] = self._tool.inputs
        output: dict[str, Any] = getattr(self._tool, "output_schema", None) or self._schema(
            {"type": self._tool.output_type}, "its output"
        )
        return Described(
            name=self._tool.name,
            description=self._tool.description,
            args={
                "type": "object",
                "properties": {name: self._schema(given, f"its input `{name}`") for name, given in inputs.items()},
                "required": [name for name, given in inputs.items() if not given.get("nullable")],
                "additionalProperties": False,
            },
            result=output or None,
        )

    async def run(self, payload: bytes | str, _meta: ToolCallMeta) -> ToolResult[Any]:
        """Call the tool."""
        import asyncio

        return json_result(await asyncio.to_thread(self._tool, **json.loads(payload)))

    def _schema(self, given: dict[str, Any], what: str) -> dict[str, Any]:
        """Return an input as a schema: `{"type": "string", "description": …, "nullable": true}`."""
        words: Any = given["type"]
        kinds: list[Any] = list(words) if is_array(words) else [words]
        for kind in kinds:
            if kind not in self._TYPES:
                raise CatalogError(f"{what} is of type {kind}, which JSON does not have")
        types = [kind for kind in kinds if self._TYPES[kind]] if "any" not in kinds else []
        if types and given.get("nullable") and "null" not in types:
            types.append("null")
        schema = {key: value for key, value in given.items() if key not in ("type", "nullable")}
        return {**({"type": types[0] if len(types) == 1 else types} if types else {}), **schema}


FRAMEWORKS: Final = (PydanticAiTool, LangChainTool, OpenAiAgentsTool, FastMcpTool, SmolagentsTool)


def _as_it_is(tool: PythonTool) -> PythonTool:
    return tool


def framework_of(value: Any) -> Callable[[Any], PythonTool] | None:
    """Return what reads a tool object, or a class of tool objects; None for anything else."""
    if isinstance(value, FastMcpServerTool):
        return _as_it_is
    for reader in FRAMEWORKS:
        public = getattr(sys.modules.get(reader.module), reader.public, None)
        if isinstance(public, type) and (
            issubclass(value, public) if isinstance(value, type) else isinstance(value, public)
        ):
            return reader
    return None
