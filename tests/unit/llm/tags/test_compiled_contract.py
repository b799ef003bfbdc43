"""A tag calls a compiled tool under the same contract as any other call: what its spec says holds here too."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved, toolset
from tests.unit.llm.tags.bot import ANN
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.llm import ToolUse
from toolgen.llm.tags import TagRegistry, run_tags
from toolgen.providers.protocol import ModelReply
from toolgen.runtime import Catalog, Runtime, ToolDefinition
from toolgen.runtime.calls.call import GateDecision
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.spec.tool_settings import KEYS

if TYPE_CHECKING:
    from toolgen.llm.tags import ToolContext

IDENT: Final = "shop.act"
TOOL: Final = {
    "args": {
        "text": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
        "count": {"type": "integer", "maximum": 100},
        "to?": "string",
        "token?": {"type": "string", "secret": True},
    },
    "result": {"ok": "boolean", "next?": "string"},
    "permission": "readonly",
    "tag": {},
}
TAG: Final = {"prefix": "ACT", "pattern": r"(\S+)\s+(.+)", "groups": ["text", "count"], "example": ""}

SETTINGS: Final[dict[str, list[Any]]] = {
    "title": ["Act"],
    "description": ["Acts on something."],
    "permission": ["write"],
    "tags": [["network"], ["dangerous"], ["filesystem"]],
    "wire_name": ["act_now"],
    "roles": [["sub"], ["main"], []],
    "annotations": [{"readOnlyHint": True}],
    "result_inferred": [True],
    "validate_responses": [False],
    "source_name": ["other"],
    "imported": ["api.json"],
    "icons": [[{"src": "https://x.example/i.png"}]],
    "access": [{"read": ["text"]}, {"write": ["text"]}, {"hosts": ["api.example"]}, {"scope": ["text"]}],
    "one_of": [["to", "token"]],
    "inject": [["account"], ["unknown"]],
    "limits": [{"daily_limit": 1}, {"cooldown_seconds": 60}, {"result_bytes": 8}, {"timeout_ms": 60_000}],
    "cost": ["expensive"],
    "gate": [True],
    "retry_hints": [True],
    "confirm": ["Really?"],
    "examples": [[{"args": {"text": "a", "count": 1}}]],
    "tag": [{**TAG, "strip_from_display": False}],
    "method": ["other"],
    "handler": ["app:act"],
    "user": ["Do {text}."],
    "system": ["You act."],
    "command": [{"exec": ["true", "{text}"]}],
    "http": [{"method": "GET", "path": "/{text}"}],
    "hints": [{"ok": "it is {ok}"}],
    "bounded": [{"cursor": "to", "next": "next"}],
    "server_data": [{"seen": {"type": "integer"}}],
    "reminder": ["Check it."],
    "args_secrets": [["/text"], ["/token"]],
    "result_secrets": [["/next"]],
}
"""Values of every key, as a catalog has them."""

CALLS: Final[dict[str, Any]] = {
    "abc 5": {"text": "abc", "count": 5},
    "ABC 5": {"text": "ABC", "count": 5},
    "abcdefghi 5": {"text": "abcdefghi", "count": 5},
    "abc 101": {"text": "abc", "count": 101},
    "abc 5.5": {"text": "abc", "count": 5.5},
    "abc 5.0": {"text": "abc", "count": 5.0},
    "abc five": {"text": "abc", "count": "five"},
    "abc true": {"text": "abc", "count": True},
}
"""Texts after a tag, and the args that they mean."""

RESULTS: Final[dict[str, Any]] = {
    "fits": ToolResult(value={"ok": True}),
    "fits in JSON": ToolResult(payload=b'{"next":"more","ok":false}'),
    "does not fit": ToolResult(value={"ok": "yes"}),
    "is missing": ToolResult(message="done"),
    "has data": ToolResult(value={"ok": True}, server_data={"seen": 3}),
    "has other data": ToolResult(value={"ok": True}, server_data={"seen": "3"}),
    "fails": ValueError("the shop is closed"),
}
"""What a handler returns, or raises."""


def document(kind: str = "", **settings: Any) -> Catalog:
    """Return a compiled catalog of one tool with these keys."""
    found = resolved(toolset({"act": TOOL}))
    assert not found.has_errors, found.messages
    made = json.loads(emit_catalog_json(found.catalog))
    tool = made["tools"][IDENT]
    tool.update(settings)
    tool["tags"] = sorted({*tool.get("tags", ())} - {"readonly", "write"} | {tool["permission"]})
    if kind:
        made["toolsets"]["shop"]["kind"] = kind
    return Catalog(text=json.dumps(made).encode())


@dataclass
class Door:
    """Makes calls, and keeps what was asked and what ran."""

    catalog: Catalog
    outcome: Any
    seen: list[Any] = field(default_factory=list)

    def permit(self, request: PermissionRequest) -> Decision:
        self.seen.append(request.reasons)
        return Decision.ALLOW_ONCE

    def judge(self) -> GateDecision:
        self.seen.append("gate")
        return GateDecision(approved=False, reason="not now")

    async def run(self) -> ToolResult[Any]:
        self.seen.append("ran")
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return replace(self.outcome)

    @property
    def inject(self) -> dict[str, Any]:
        return {"account": lambda _meta: "acme"}


def by_tag(door: Door, raw_args: list[str]) -> list[ToolResult[Any]]:
    """Make the calls by lines of text."""

    class Gate:
        def check(self, _tool: Any, _ctx: ToolContext, /) -> GateDecision:
            return door.judge()

    async def handler(_ctx: ToolContext) -> Any:
        return await door.run()

    registry = TagRegistry(permission=door.permit, gate=Gate(), inject=door.inject)
    registry.register_compiled(door.catalog, {"act": handler})
    turns = [asyncio.run(run_tags(registry, f"ACT: {raw_arg}", ANN)) for raw_arg in raw_args]
    return [result for turn in turns for result in turn.results]


def by_invoke(door: Door, raw_args: list[str]) -> list[ToolResult[Any]]:
    """Make the same calls by a runtime."""

    async def handler(_args: Any, _meta: Any) -> Any:
        return await door.run()

    runtime = Runtime(
        door.catalog,
        executors=[ToolsetRegistration(toolset="shop", handlers={IDENT: handler})],
        permission=door.permit,
        gate=lambda _call: door.judge(),
        inject=door.inject,
    )
    requests = [ToolRequest(name=IDENT, payload=json.dumps(CALLS[raw_arg])) for raw_arg in raw_args]
    return [asyncio.run(runtime.invoke(request, meta=ToolCallMeta(user=ANN.user))) for request in requests]


def verdict(result: ToolResult[Any]) -> tuple[Any, ...]:
    error = result.error
    shown = [block.data for block in result.content] if error else [block.data for block in result.blocks]
    failure = error and (error.kind, error.code, error.message, error.issues)
    texts = [re.sub(r"in \d+ s,", "in some s,", str(each)) for each in shown]  # the two doors are not called at once
    return result.success, failure, result.payload, dict(result.server_data), texts


def test_every_key_of_a_tool_has_values_here() -> None:
    assert SETTINGS.keys() == KEYS.keys()


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in SETTINGS.items() for value in values], ids=str
)
@pytest.mark.parametrize("outcome", RESULTS.values(), ids=RESULTS.keys())
def test_a_tag_and_a_call_by_invoke_get_the_same_verdict(key: str, value: Any, outcome: Any) -> None:
    doors = [Door(document(**{key: value}), outcome) for _ in range(2)]
    raw_args = [*CALLS, "abc 5"]  # the last one is over a limit
    found, wanted = by_tag(doors[0], raw_args), by_invoke(doors[1], raw_args)
    assert [*map(verdict, found)] == [*map(verdict, wanted)]
    assert doors[0].seen == doors[1].seen


@given(st.sampled_from([*SETTINGS]).flatmap(lambda key: st.tuples(st.just(key), st.sampled_from(SETTINGS[key]))))
def test_a_message_is_for_the_author_of_a_call_that_does_not_fit(setting: tuple[str, Any]) -> None:
    (result,) = by_tag(Door(document(**dict([setting])), RESULTS["fits"]), ["abc 101"])
    assert result.message is not None
    if setting[0] not in ("one_of", "roles"):
        assert result.message == "invalid payload: /count: use a number of at most 100"


@pytest.mark.parametrize("kind", ["service", "command", "http", "mcp"])
def test_the_timeout_holds_for_a_handler_of_any_kind_of_toolset(kind: str) -> None:
    async def slow(_ctx: ToolContext) -> ToolResult[Any]:
        await asyncio.sleep(60)
        raise AssertionError("it went on")

    registry = TagRegistry()
    registry.register_compiled(document(kind, limits={"timeout_ms": 50}), {"act": slow})
    (result,) = asyncio.run(run_tags(registry, "ACT: abc 5", ANN)).results
    assert result.error is not None
    assert result.error.kind == "timeout"


def test_a_handler_finds_its_args_as_the_declared_types_and_the_injected_fields_beside_them() -> None:
    seen: list[Any] = []

    async def act(ctx: ToolContext) -> ToolResult[Any]:
        seen.append(dict(ctx.args))
        return ToolResult(value={"ok": True})

    registry = TagRegistry(inject={"account": lambda meta: f"of {meta.user}"})
    registry.register_compiled(document(inject=["account"]), {"act": act})
    asyncio.run(run_tags(registry, "ACT: abc 5", ANN))
    assert seen == [{"text": "abc", "count": 5, "account": "of @ann"}]


def test_a_tool_that_the_host_registered_keeps_its_schemas_and_is_run_by_the_handler_of_the_tag() -> None:
    catalog = Catalog()
    of_compiled = document().definition(IDENT)
    catalog.register(
        ToolDefinition(
            name="own.act",
            description="Acts.",
            permission="readonly",
            input_schema=of_compiled.input_schema,
            result_schema=of_compiled.result_schema,
            metadata={"tag": {**TAG, "strip_from_display": True}},
        ),
        lambda _args: {"ok": False},
        profile="full",
    )

    async def act(ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult(value={"ok": "text" in ctx.args if ctx.args["count"] == 5 else "no"})

    registry = TagRegistry()
    registry.register_compiled(catalog, {"act": act})
    results = [asyncio.run(run_tags(registry, f"ACT: {raw_arg}", ANN)).results[0] for raw_arg in ("a 5", "a 6", "A 5")]
    assert [result.payload for result in results] == [b'{"ok":true}', b"", b""]
    assert [result.error and result.error.code for result in results] == [
        None,
        "malformed_result",
        "validation_error",
    ]


SCHEMAS: Final[list[tuple[Any, str, Any]]] = [
    ("string", "5", "5"),
    ("integer", "5", 5),
    ("integer", "5.0", 5.0),
    ("integer", "five", "five"),
    ("integer", "1e400", "1e400"),
    ("integer", "NaN", "NaN"),
    ("number", "-1.5e2", -150.0),
    ("boolean", "true", True),
    ("boolean", "True", "True"),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": ["string", "integer"]}, "5", "5"),
    ({"enum": [1, 2]}, "2", 2),
    ({"enum": ["1", "2"]}, "2", "2"),
    ({"const": 7}, "7", 7),
    ({"anyOf": [{"type": "string", "pattern": "^o-"}, {"type": "integer"}]}, "5", 5),
    ({"anyOf": [{"type": "string", "pattern": "^o-"}, {"type": "integer"}]}, "o-5", "o-5"),
    (["integer"], "[1, 2]", [1, 2]),
    (True, "5", "5"),
]


@pytest.mark.parametrize(("schema", "text", "value"), SCHEMAS, ids=str)
def test_a_text_becomes_an_arg_of_the_type_that_its_schema_gives_at_both_doors_of_tags(
    schema: Any, text: str, value: Any
) -> None:
    tool = {"args": {"x": {"$ref": "#/types/X"}}, "tag": {"pattern": "(.+)"}, "permission": "readonly"}
    found = resolved(toolset({"act": tool}, types={"X": schema}))
    assert not found.has_errors, found.messages
    catalog = Catalog(text=emit_catalog_json(found.catalog).encode())
    registry, seen = TagRegistry(), list[Any]()

    async def act(ctx: ToolContext) -> ToolResult[Any]:
        seen.append(ctx.args["x"])
        return ToolResult()

    registry.register_compiled(catalog, {"act": act})
    (result,) = asyncio.run(run_tags(registry, f"ACT: {text}", ANN)).results
    assert [*map(repr, seen)] == ([repr(value)] if result.success else [])
    runtime = Runtime(
        catalog,
        executors=[ToolsetRegistration(toolset="shop", handlers={IDENT: lambda *_: None})],
        permission=lambda _request: Decision.ALLOW_ONCE,
    )
    (call,) = ToolUse(catalog).tags(runtime.start_run()).interpret(ModelReply(text=f"ACT: {text}")).calls
    assert repr(json.loads(call.asked.payload)) == repr({"x": value})
