"""Ways to run one call, from JSON args to a JSON result: the floors, and toolgen.

A case is a function that imports its libraries and returns a function that does the setup and returns the call. All
await an empty body, and none receives anything that the others have to create themselves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from benchmarks.projects import PACKAGE

Call = Callable[[], Awaitable[object]]
Case = Callable[[], Callable[[], Call]]

ARGS: Final = (
    b'{"query": "crash on start", "limit": 25, "labels": ["bug", "p1"], "state": "open", '
    b'"filters": {"author": "ann", "assignee": null, "created_after": "2025-01-01", "min_comments": 3}}'
)
RESULT: Final[dict[str, Any]] = {"total": 1, "items": [{"id": 7, "title": "a bug"}]}
_TEXT_OR_NULL: Final = {"anyOf": [{"type": "string"}, {"type": "null"}]}
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "labels": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "state": {"enum": ["open", "closed", "all"]},
        "filters": {
            "type": "object",
            "properties": {
                **dict.fromkeys(("author", "assignee", "created_after"), _TEXT_OR_NULL),
                "min_comments": {"type": "integer"},
            },
        },
    },
    "required": ["query"],
}
TOOL: Final = "bench.issues.search_issues"
GUARDED_TOOL: Final = "bench.issues.search_guarded_issues"
OPEN_TOOL: Final = "bench.issues.search_open_issues"


async def _body(_args: object) -> dict[str, Any]:
    return RESULT


def pydantic_floor() -> Callable[[], Call]:
    from pydantic import TypeAdapter

    import_module("pydantic.main")  # BaseModel, which is imported on first access

    def make() -> Call:
        from benchmarks.measured.pydantic_models import SearchArgs, SearchResult

        decode = TypeAdapter(SearchArgs).validate_json
        encode: Callable[[Any], bytes] = TypeAdapter(SearchResult).dump_json
        tools = {TOOL: (decode, _body, encode)}

        async def call() -> object:
            decode, body, encode = tools[TOOL]
            return encode(await body(decode(ARGS)))

        return call

    return make


def msgspec_floor() -> Callable[[], Call]:
    import msgspec

    def make() -> Call:
        from benchmarks.measured.msgspec_models import SearchArgs

        decode, encode = msgspec.json.Decoder(SearchArgs).decode, msgspec.json.Encoder().encode
        tools = {TOOL: (decode, _body, encode)}

        async def call() -> object:
            decode, body, encode = tools[TOOL]
            return encode(await body(decode(ARGS)))

        return call

    return make


def jsonschema_floor() -> Callable[[], Call]:
    import jsonschema_rs
    import orjson

    def make() -> Call:
        tools = {TOOL: (jsonschema_rs.validator_for(SCHEMA).validate, _body)}

        async def call() -> object:
            validate, body = tools[TOOL]
            args = orjson.loads(ARGS)
            validate(args)
            return orjson.dumps(await body(args))

        return call

    return make


def toolgen_model_call() -> Callable[[], Call]:
    """A call of a model: read from a response of a provider, by wire name, with a new request each time."""
    return _requested_by_a_model(TOOL, plain_runtime())


def toolgen_model_call_open() -> Callable[[], Call]:
    return _requested_by_a_model(OPEN_TOOL, plain_runtime())


def toolgen_model_call_guarded() -> Callable[[], Call]:
    """The same with all features: limits, hooks, a policy, the eval gate, and a record in memory with each stage."""
    from toolgen.record import MemoryStore

    return _requested_by_a_model(GUARDED_TOOL, guarded_runtime(MemoryStore()))


def _requested_by_a_model(name: str, runtime: Any) -> Callable[[], Call]:
    from toolgen.providers.apis.openai_chat import PLAIN
    from toolgen.runtime import ToolCallMeta, load

    response = _response(load(PACKAGE).wire_name(name))
    read, meta = PLAIN.read, ToolCallMeta(user="ann")

    async def call() -> object:
        for request in read(response).calls:
            return (await runtime.invoke(request, meta=meta)).payload
        raise AssertionError("the response has no call")

    return lambda: call


def _response(wire_name: str) -> dict[str, Any]:
    """Return a chat completion of OpenAI with one call, as plain JSON from its SDK."""
    function = {"name": wire_name, "arguments": ARGS.decode()}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_0001", "type": "function", "function": function}],
    }
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def toolgen_invoke() -> Callable[[], Call]:
    return _invoked(TOOL, plain_runtime())


def toolgen_invoke_open() -> Callable[[], Call]:
    return _invoked(OPEN_TOOL, plain_runtime())


def toolgen_invoke_guarded() -> Callable[[], Call]:
    from toolgen.record import MemoryStore

    return _invoked(GUARDED_TOOL, guarded_runtime(MemoryStore()))


def _invoked(name: str, runtime: Any) -> Callable[[], Call]:
    """The most favourable call: by ident, with one request of bytes that is created once."""
    from toolgen.runtime import ToolCallMeta, ToolRequest

    request, meta = ToolRequest(name=name, payload=ARGS, tool_call_id="c1"), ToolCallMeta(user="ann")

    async def call() -> object:
        return (await runtime.invoke(request, meta=meta)).payload

    return lambda: call


def guarded_runtime(store: Any) -> Any:
    from toolgen.runtime import GateDecision, Runtime, deny_all, load

    class Hook:
        def pre_tool_use(self, _call: object, /) -> None:
            return None

        def post_tool_use(self, _call: object, _result: object, /) -> None:
            return None

    return Runtime(
        load(PACKAGE),
        executors=[issues_executor()],
        missing=load(PACKAGE).toolsets,
        permission=deny_all,
        hooks=[Hook()],
        gate=lambda _call: GateDecision(approved=True),
        store=store,
    )


def toolgen_call() -> Callable[[], Call]:
    runtime = plain_runtime()

    def make() -> Call:
        issues = import_module(f"{PACKAGE}.bench.tools.issues")
        ident, args = issues.SEARCH_ISSUES, issues.codecs.args(issues.SEARCH_ISSUES).decode(ARGS)

        async def call() -> object:
            result = await runtime.call(ident, args)
            return result.payload

        return call

    return make


def issues_executor() -> Any:
    """Return handlers that return the same typed result each time; it is created at the first call, like its class."""
    issues = import_module(f"{PACKAGE}.bench.tools.issues")

    class Handlers:
        @cached_property
        def result(self) -> object:
            return issues.SearchResult.model_validate(RESULT)

        async def search_issues(self, _args: object, _meta: object, /) -> object:
            return self.result

        async def search_guarded_issues(self, _args: object, _meta: object, /) -> object:
            return self.result

        async def search_open_issues(self, _args: object, _meta: object, /) -> object:
            return self.result

    return issues.executor(Handlers())


def plain_runtime(permission: Any = None) -> Any:
    """Return a runtime without policies; without `permission` it allows all."""
    from toolgen.runtime import Runtime, allow_all, load

    catalog = load(PACKAGE)
    return Runtime(
        catalog,
        executors=[issues_executor()],
        missing=catalog.toolsets,
        permission=permission or allow_all,
        disabled_policies=["bench"],
    )


_CASES: Final[dict[str, tuple[Case, tuple[str, ...]]]] = {
    "pydantic": (pydantic_floor, ()),
    "msgspec": (msgspec_floor, ("msgspec",)),
    "orjson and jsonschema_rs": (jsonschema_floor, ("orjson",)),
    "toolgen, as a model calls": (toolgen_model_call, ()),
    "toolgen, as a model calls, open objects": (toolgen_model_call_open, ()),
    "toolgen, as a model calls, everything on": (toolgen_model_call_guarded, ()),
    "toolgen invoke, by ident": (toolgen_invoke, ()),
    "toolgen invoke, by ident, open objects": (toolgen_invoke_open, ()),
    "toolgen invoke, by ident, everything on": (toolgen_invoke_guarded, ()),
    "toolgen call": (toolgen_call, ()),
}


def cases() -> dict[str, Case]:
    """Return the cases whose libraries are installed; all except those of toolgen are optional."""
    return {name: case for name, (case, libraries) in _CASES.items() if all(map(find_spec, libraries))}
