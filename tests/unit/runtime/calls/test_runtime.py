from __future__ import annotations

import asyncio
import json
import re
import threading
import warnings
from dataclasses import is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.responses import RESPONSES
from toolgen.agents.exported import agent_executor as agent_executor
from toolgen.contract.ident import Ident
from toolgen.contract.records import (
    ContentBlock,
    FailureKind,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
    ToolsetRegistration,
)
from toolgen.execute.command import CommandHost
from toolgen.execute.command import command_executor as command_executor
from toolgen.llm import ToolUse
from toolgen.runtime import Catalog, Runtime, allow_all, blocking, load
from toolgen.runtime.base.errors import ExecutorError, ToolNotFound
from toolgen.runtime.policy.paths import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.runtime.package import Shop
    from toolgen.agents.planner import RunOutcome
    from toolgen.agents.runs import AgentRun

REFUND: Ident[Any, Any] = Ident("shop.orders.refund")


class Recorder:
    """An executor that keeps its requests and returns `result`."""

    def __init__(self, result: Any = None) -> None:
        self.asked: list[tuple[ToolRequest, ToolCallMeta]] = []
        self.result = result

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        self.asked.append((request, meta))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result if isinstance(self.result, ToolResult) else ToolResult(tool_name="x", value=self.result)


def handlers(refund: Callable[..., Any], find: Callable[..., Any] = lambda _args, _meta: []) -> ToolsetRegistration:
    return ToolsetRegistration(toolset="shop.orders", handlers={"shop.orders.refund": refund, "shop.orders.find": find})


def runtime(shop: Shop, *executors: ToolsetRegistration) -> Runtime:
    return Runtime(load(shop.name), permission=allow_all, executors=executors, missing=load(shop.name).toolsets)


def invoke(
    runtime: Runtime, payload: bytes | str = '{"order_id": "o"}', name: str = REFUND, **meta: Any
) -> ToolResult[Any]:
    request = ToolRequest(name=name, payload=payload, tool_call_id=meta.pop("call_id", "c1"))
    return asyncio.run(runtime.invoke(request, meta=ToolCallMeta(**meta) if meta else None))


def value_of(result: ToolResult[Any]) -> Any:
    assert result.error is None
    return result.value


def error_of(result: ToolResult[Any]) -> ToolError:
    assert result.error is not None
    assert (result.success, result.is_error, result.value, result.payload) == (False, True, None, b"")
    return result.error


def test_goa_05_an_executor_decodes_transforms_calls_and_encodes(shop: Shop) -> None:
    orders = shop.module("shop.tools.orders")

    class Client:
        def pay_back(self, order: str, cents: int) -> dict[str, Any]:
            return {"done": True, "order": order, "cents": cents}

    class Orders:
        def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
            args = orders.codecs.args(orders.REFUND).decode(request.payload)
            answer = Client().pay_back(order=args.order_id, cents=100 * (args.amount or 0))
            value = shop.type("RefundResult")(refunded=answer["done"], message=f"{answer['cents']} to {meta.user}")
            return ToolResult(tool_name=request.name, tool_call_id=request.tool_call_id, value=value)

    result = invoke(
        runtime(shop, ToolsetRegistration(toolset="shop.orders", executor=Orders())),
        '{"order_id": "o", "amount": 3}',
        user="u",
    )
    assert (value_of(result).refunded, value_of(result).message) == (True, "300 to u")
    assert result.payload == b'{"refunded":true,"message":"300 to u"}'


def test_a_typed_call_passes_typed_args_and_returns_a_typed_result(shop: Shop) -> None:
    args = shop.type("RefundArgs")(order_id="o", amount=2)

    async def refund(given: Any, meta: ToolCallMeta) -> Any:
        assert given is args
        return shop.type("RefundResult")(refunded=True)

    result = asyncio.run(runtime(shop, handlers(refund)).call(REFUND, args))
    assert result.success
    assert result.value == shop.type("RefundResult")(refunded=True)
    assert (json.loads(result.payload), result.tool_name) == ({"refunded": True}, "shop.orders.refund")
    assert result.content == (ContentBlock(type="json", data={"refunded": True}),)


def test_no_warning_quotes_args_or_a_result_that_do_not_fit(shop: Shop) -> None:
    def refund(_args: Any, _meta: ToolCallMeta) -> Any:
        return shop.type("RefundResult").model_construct(refunded="Zq7wXk2mPv9")

    calls = runtime(shop, handlers(refund))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sent = asyncio.run(calls.call(REFUND, shop.type("RefundArgs").model_construct(order_id=1234567)))
        returned = asyncio.run(calls.call(REFUND, shop.type("RefundArgs")(order_id="o")))
    assert [error_of(sent).code, error_of(returned).code] == ["validation_error", "malformed_result"]


def test_typed_args_are_checked_as_well(shop: Shop) -> None:
    calls = runtime(shop, handlers(lambda _args, _meta: pytest.fail("it ran")))
    too_much = asyncio.run(calls.call(REFUND, shop.type("RefundArgs")(order_id="o", amount=10_000)))
    other = asyncio.run(calls.call(REFUND, shop.type("FindArgs")()))
    assert [error_of(too_much).issues[0].pointer, error_of(other).issues[0].expected] == ["/amount", "RefundArgs"]


@pytest.mark.parametrize("payload", [b'{"order_id": "o"}', '{"order_id": "o"}'])
def test_goa_14_a_request_contains_raw_json(shop: Shop, payload: bytes | str) -> None:
    seen: list[Any] = []
    invoke(runtime(shop, handlers(lambda args, _meta: seen.append(args))), payload)
    assert seen == [shop.type("RefundArgs")(order_id="o")]
    typed: Any = shop.type("RefundArgs")(order_id="o")
    assert error_of(invoke(runtime(shop, handlers(print)), typed)).code == "invalid_request"


@pytest.mark.parametrize("name", RESPONSES)
def test_goa_14_a_call_of_a_model_becomes_a_request_of_raw_json(shop: Shop, name: str) -> None:
    """Whether an API returns args as text or as an object, a planner passes text and decodes nothing."""
    seen: list[ToolRequest] = []

    class Watched(Runtime):
        async def turn(self, requests: Any, run: Any, *, response: Any = None) -> list[ToolResult[Any]]:
            seen.extend(requests)
            return await super().turn(requests, run, response=response)

    catalog = load(shop.name)
    host = Watched(
        catalog,
        permission=allow_all,
        executors=[handlers(lambda _a, _m: {"refunded": True})],
        missing=catalog.toolsets,
    )
    conversation = ToolUse(catalog).conversation("chat", host, host.start_run(), name)
    (wire,) = set(re.findall(r"shop[._]+orders[._]+refund", json.dumps(dict(conversation.request()))))
    turn = asyncio.run(conversation.take(RESPONSES[name]("", [("c1", wire, {"order_id": "ö"})])))
    assert [result.error for result in turn.results] == [None]
    assert [type(request.payload) for request in seen] == [str]
    assert json.loads(seen[0].payload) == {"order_id": "ö"}


@pytest.mark.parametrize("form", ["handlers", "executor", "raw executor"])
def test_goa_16_reg_16_an_invalid_payload_never_reaches_the_handler(shop: Shop, form: str) -> None:
    recorder = Recorder()
    executor = ToolsetRegistration(toolset="shop.orders", executor=recorder, decode_in_executor=form == "raw executor")
    chosen = handlers(lambda _args, _meta: recorder.asked.append(_args)) if form == "handlers" else executor
    result = invoke(runtime(shop, chosen), '{"amount": "5", "reson": "late"}')
    error = error_of(result)
    assert recorder.asked == []
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, "validation_error")
    assert [(issue.pointer, issue.keyword) for issue in error.issues] == [
        ("/amount", "type"),
        ("/reson", "additionalProperties"),
        ("/order_id", "required"),
    ]
    assert result.retry_hint is not None
    assert result.retry_hint.fields == ("/amount", "/reson", "/order_id")
    assert "add the field `order_id` (string)" in error.hint
    assert "did you mean `reason`?" in error.hint
    assert result.content[0].data.splitlines()[3] == "- /order_id: add the field `order_id` (string) (found nothing)"


def test_goa_28_an_invalid_payload_is_a_result_with_this_message(shop: Shop) -> None:
    for payload in ("{}", "no json", b"\xff", '{"order_id": NaN}', "[" * 100_000):
        result = invoke(runtime(shop, handlers(print)), payload)
        assert error_of(result).message == "invalid payload"
        assert result.retry_hint is not None
        is_at_a_field = payload == "{}" or "NaN" in str(payload)
        assert result.retry_hint.fields == (("/order_id",) if is_at_a_field else ())


def test_goa_17_an_executor_gets_canonical_json(shop: Shop) -> None:
    recorder = Recorder({"refunded": True})
    calls = runtime(shop, ToolsetRegistration(toolset="shop.orders", executor=recorder))
    invoke(calls, '{ "reason":"late",  "order_id" : "\\u00f6", "note": null, "amount": 1 }')
    canonical = recorder.asked[0][0].payload
    assert canonical == '{"amount":1,"note":null,"order_id":"ö","reason":"late"}'.encode()
    invoke(calls, canonical)
    asyncio.run(calls.call(REFUND, shop.type("RefundArgs")(reason="late", order_id="ö", note=None, amount=1)))
    assert [request.payload for request, _ in recorder.asked] == [canonical] * 3
    assert {request.name for request, _ in recorder.asked} == {"shop.orders.refund"}


def test_an_executor_that_decodes_itself_gets_the_original_bytes(shop: Shop) -> None:
    recorder = Recorder("content")
    calls = runtime(shop, ToolsetRegistration(toolset="mcp.files", executor=recorder, decode_in_executor=True))
    payload = b'{ "path" : "p",\n "more": 1.0}'
    assert invoke(calls, payload, "mcp.files.read").success
    assert recorder.asked[0][0].payload == payload


@pytest.mark.parametrize("form", ["handlers", "executor", "raw"])
def test_a_payload_with_a_key_twice_is_an_invalid_call_that_names_it(shop: Shop, form: str) -> None:
    """Else a person who approves the text may read one of the values, and the tool gets the other one."""
    recorder = Recorder({"refunded": True})
    registration = (
        handlers(lambda _args, _meta: pytest.fail("it ran"))
        if form == "handlers"
        else ToolsetRegistration(toolset="shop.orders", executor=recorder, decode_in_executor=form == "raw")
    )
    for payload in ('{"order_id": "a", "order_id": "b"}', b'{"order_id": "a:b", "order\\u005fid": "b"}'):
        error = error_of(invoke(runtime(shop, registration), payload))
        assert (error.kind, error.message) == (FailureKind.INVALID_CALL, "invalid payload")
        (issue,) = error.issues
        assert (issue.pointer, issue.found, issue.hint) == ("/order_id", "`order_id` twice", "send `order_id` once")
    assert not recorder.asked


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"refunded": "yes"}, "/refunded"),
        ({}, "/refunded"),
        ("text", ""),
        (None, ""),
        ([], ""),
        ({"refunded": True, "order": {}}, "/order/id"),
    ],
)
def test_goa_18_a_result_of_the_wrong_type_is_an_error(shop: Shop, given: Any, pointer: str) -> None:
    executor = ToolsetRegistration(toolset="shop.orders", executor=Recorder(given))
    for registration in (handlers(lambda _args, _meta: given), executor):
        error = error_of(invoke(runtime(shop, registration)))
        assert error.message == "the result of the tool does not fit its schema"
        assert error.kind is FailureKind.MALFORMED_RESULT
        assert error.issues[0].pointer == pointer


def test_a_result_whose_keys_collide_in_json_is_malformed(shop: Shop) -> None:
    """Else the payload has both values, and whoever reads it, the content and the record one of them."""
    given = {"refunded": True, "order": {"id": "o", 1: "a", "1": "b"}}
    executor = ToolsetRegistration(toolset="shop.orders", executor=Recorder(given))
    for registration in (handlers(lambda _args, _meta: given), executor):
        error = error_of(invoke(runtime(shop, registration)))
        assert error.kind is FailureKind.MALFORMED_RESULT
        assert (error.issues[0].pointer, error.issues[0].found) == ("/order/1", "the keys 1 and '1'")


def test_goa_18_another_model_is_the_wrong_type_even_if_its_json_is_valid(shop: Shop) -> None:
    error = error_of(invoke(runtime(shop, handlers(lambda args, _meta: args))))
    assert error.issues[0].hint == "return a RefundResult, not a RefundArgs"


def test_goa_18_results_are_encoded_by_the_codec(shop: Shop) -> None:
    order = shop.type("Order")
    calls = runtime(
        shop, handlers(print, lambda args, _meta: [order(id="a", from_=args.from_), {"id": "b", "total": 1.5}])
    )
    result = invoke(calls, '{"from": "x"}', "shop.orders.find")
    assert result.value == [order(id="a", from_="x"), order(id="b", total=1.5)]
    assert json.loads(result.payload) == [{"id": "a", "from": "x"}, {"id": "b", "total": 1.5}]
    assert json.loads(invoke(calls, "{}", "shop.orders.find").payload)[0] == {"id": "a"}


def test_goa_18_an_executor_may_return_only_json(shop: Shop) -> None:
    answer = ToolResult[Any](
        tool_name="x",
        payload=b'{"refunded": true}',
        blocks=(ContentBlock(type="text", data="done"),),
        metadata={"ms": 3},
    )
    result = invoke(runtime(shop, ToolsetRegistration(toolset="shop.orders", executor=Recorder(answer))))
    assert (result.value, result.payload) == (shop.type("RefundResult")(refunded=True), b'{"refunded":true}')
    assert (result.tool_name, result.tool_call_id) == ("shop.orders.refund", "c1")
    assert (result.content, result.metadata) == (answer.blocks, {"ms": 3})


def test_goa_26_every_call_has_its_own_meta(shop: Shop) -> None:
    seen: list[ToolCallMeta] = []
    recorder = Recorder()
    calls = runtime(
        shop,
        handlers(lambda _args, meta: seen.append(meta)),
        ToolsetRegistration(toolset="mcp.files", executor=recorder),
    )
    meta: dict[str, Any] = {"user": "u", "run_id": "r", "parent_run_id": "p", "attributes": {"k": 1}}
    invoke(calls, call_id="c7", **meta)
    invoke(calls, '{"path": "p"}', "mcp.files.read", call_id="c8", **meta)
    invoke(calls, call_id="c9")
    assert seen == [ToolCallMeta(tool_call_id="c7", **meta), ToolCallMeta(tool_call_id="c9")]
    assert recorder.asked[0][1] == ToolCallMeta(tool_call_id="c8", **meta)
    assert recorder.asked[0][0].tool_call_id == "c8"
    assert is_dataclass(seen[0])


def test_goa_26_concurrent_calls_have_their_own_meta(shop: Shop) -> None:
    """No state of a call is visible to another."""
    met = asyncio.Barrier(3)
    seen: dict[str, ToolCallMeta] = {}

    async def refund(args: Any, meta: ToolCallMeta) -> Any:
        await met.wait()
        seen[args.order_id] = meta
        return {"refunded": True}

    async def main() -> None:
        calls = runtime(shop, handlers(refund))
        requests = [ToolRequest(name=REFUND, payload=f'{{"order_id": "{n}"}}', tool_call_id=f"c{n}") for n in range(3)]
        await asyncio.gather(
            *(calls.invoke(request, meta=ToolCallMeta(user=f"u{n}")) for n, request in enumerate(requests))
        )

    asyncio.run(main())
    assert {order: (meta.user, meta.tool_call_id) for order, meta in seen.items()} == {
        str(n): (f"u{n}", f"c{n}") for n in range(3)
    }


@pytest.mark.parametrize("is_raw", [False, True])
def test_goa_29_an_unknown_tool_in_an_executor_is_an_error_with_this_message(shop: Shop, *, is_raw: bool) -> None:
    executor = Recorder(ToolNotFound("refund"))
    registration = ToolsetRegistration(toolset="shop.orders", executor=executor, decode_in_executor=is_raw)
    error = error_of(invoke(runtime(shop, registration)))
    assert (error.message, error.kind) == ("unknown tool", FailureKind.TOOL_NOT_AVAILABLE)
    assert (error.code, error.cause) == ("tool_not_available", executor.result)


@pytest.mark.parametrize("kind", ["agent", "command"])
def test_goa_29_built_in_executors_refuse_tools_of_other_toolsets(kind: str, tmp_path: Path) -> None:
    """Each receives a call of another toolset, as in a host that registers it for the wrong one."""
    catalog = load("generated")
    if kind == "agent":
        executor = agent_executor(catalog, "orchestrator.research", must_not_play).executor
    else:
        host = CommandHost(paths=PathPolicy(tmp_path))
        executor = command_executor(catalog, "local", host).executor
    wrongly_tied = ToolsetRegistration(toolset="router", executor=executor, under=lambda _: wrongly_tied)
    calls = Runtime(catalog, permission=allow_all, executors=[wrongly_tied], missing=catalog.toolsets)
    result = invoke(calls, '{"query": "x"}', "router.web_search")
    error = error_of(result)
    assert (error.message, error.kind, error.code) == (
        "unknown tool",
        FailureKind.TOOL_NOT_AVAILABLE,
        "tool_not_available",
    )


async def must_not_play(_run: AgentRun) -> RunOutcome:
    raise AssertionError("it ran")


@pytest.mark.parametrize("name", ["shop.orders.refnd", "shop_orders_refund", "read file", "", "ö" * 10_000])
def test_reg_29_an_unknown_name_is_not_available(shop: Shop, name: str) -> None:
    error = error_of(invoke(runtime(shop, handlers(print)), name=name))
    assert (error.kind, error.code) == (FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available")
    if name == "shop.orders.refnd":
        assert error.hint.startswith("did you mean shop.orders.refund")


def test_goa_30_the_exception_of_a_handler_is_kept_as_the_cause(shop: Shop) -> None:
    for failure in (
        ValueError("the order is too old"),
        RuntimeError(),
        ZeroDivisionError("x"),
        ExceptionGroup("many", [ValueError()]),
    ):

        async def later(_args: Any, _meta: Any, failure: Exception = failure) -> None:
            raise failure

        def at_once(_args: Any, _meta: Any, failure: Exception = failure) -> None:
            raise failure

        for handler in (later, at_once, blocking(at_once)):
            error = error_of(invoke(runtime(shop, handlers(handler))))
            assert error.cause is failure
            assert error.kind is FailureKind.INTERNAL
            assert error.message == (str(failure) or "the tool failed with RuntimeError")


def test_a_timeout_of_a_handler_has_its_own_kind(shop: Shop) -> None:
    async def slow(_args: Any, _meta: Any) -> None:
        async with asyncio.timeout(0):
            await asyncio.sleep(1)

    error = error_of(invoke(runtime(shop, handlers(slow))))
    assert (error.kind, error.code) == (FailureKind.TIMEOUT, "timeout")


def test_an_error_returned_by_an_executor_is_passed_unchanged(shop: Shop) -> None:
    refusal = ToolError(
        message="sold out", kind=FailureKind.DOMAIN_REJECTION, code="sold_out", hint="ask again tomorrow"
    )
    answer = ToolResult[Any](tool_name="x", error=refusal, metadata={"k": 1})
    for registration in (
        handlers(lambda _args, _meta: answer),
        ToolsetRegistration(toolset="shop.orders", executor=Recorder(answer)),
    ):
        result = invoke(runtime(shop, registration))
        assert (result.error, result.tool_name, result.metadata) == (refusal, "shop.orders.refund", {"k": 1})
        assert result.content == (ContentBlock(type="text", data="sold out\nask again tomorrow"),)


@pytest.mark.parametrize("odd", [None, 3, ["a"], {"a": 1}, "\ud800", "x" * 100_000])
def test_no_request_raises(shop: Shop, odd: Any) -> None:
    calls = runtime(shop, handlers(lambda _args, _meta: pytest.fail("it ran")))
    assert invoke(calls, name=odd).is_error
    assert invoke(calls, odd).is_error
    assert asyncio.run(calls.call(REFUND, odd)).is_error


def test_cancellation_passes_through(shop: Shop) -> None:
    async def forever(_args: Any, _meta: Any) -> None:
        await asyncio.sleep(3600)

    async def cancelled() -> bool:
        task = asyncio.create_task(
            runtime(shop, handlers(forever)).invoke(ToolRequest(name=REFUND, payload='{"order_id": "o"}'))
        )
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancelled())


def test_reg_07_the_requested_name_is_kept_only_in_the_metadata(shop: Shop) -> None:
    calls = runtime(shop, handlers(lambda _args, _meta: {"refunded": True}))
    for name, ident, payload, wrong in (
        ("shop__orders__refund", "shop.orders.refund", '{"order_id": "o"}', "{}"),
        ("find_orders", "shop.orders.find", "{}", "[]"),
    ):
        result = invoke(calls, payload, name)
        assert (result.success, result.tool_name, result.metadata) == (True, ident, {"raw_tool_name": name})
        failed = invoke(calls, wrong, name)
        assert (failed.success, failed.tool_name, failed.metadata) == (False, ident, {"raw_tool_name": name})
    assert invoke(calls).metadata == {}

    recorder = Recorder({"refunded": True})
    executor = ToolsetRegistration(toolset="shop.orders", executor=recorder)
    invoke(runtime(shop, executor), '{"order_id": "o"}', "shop__orders__refund")
    assert [request.name for request, _ in recorder.asked] == ["shop.orders.refund"]


def returning(value: Any) -> Callable[[Any], Any]:
    return lambda _args: value


def test_reg_17_without_a_result_schema_plain_values_become_blocks(shop: Shop) -> None:
    for value, kind in [
        ("text", "text"),
        ({"a": [1]}, "json"),
        ([1, "x"], "json"),
        (3, "json"),
        (True, "json"),
        (None, "json"),
    ]:
        result = invoke(
            runtime(shop, ToolsetRegistration(toolset="mcp.files", executor=Recorder(value))),
            '{"path": "p"}',
            "mcp.files.read",
        )
        assert (result.success, result.value) == (True, value)
        assert type(result.value) is type(value)
        assert result.content == (ContentBlock(type=kind, data=value),)
        registered = Catalog()
        registered.tool("own.tool", description="x", input_schema={"type": "object"})(returning(value))
        assert invoke(Runtime(registered, permission=allow_all), "{}", "own.tool").content == result.content
        given = ToolResult[Any](value=value)
        returned = runtime(shop, ToolsetRegistration(toolset="mcp.files", executor=Recorder(given)))
        assert invoke(returned, '{"path": "p"}', "mcp.files.read").content == result.content


def test_reg_17_a_non_json_value_is_malformed(shop: Shop) -> None:
    for value in (object(), float("nan"), "\ud800", [b"\xff"]):
        calls = runtime(shop, ToolsetRegistration(toolset="mcp.files", executor=Recorder(value)))
        assert error_of(invoke(calls, '{"path": "p"}', "mcp.files.read")).kind is FailureKind.MALFORMED_RESULT


def test_reg_18_every_result_has_a_unique_call_id(shop: Shop) -> None:
    calls = runtime(shop, handlers(lambda _args, _meta: {"refunded": True}))
    made = [invoke(calls, call_id="").tool_call_id for _ in range(3)] + [invoke(runtime(shop), call_id="").tool_call_id]
    assert len(set(made)) == 4
    assert all(made)
    assert invoke(calls, call_id="", tool_call_id="from-meta").tool_call_id == "from-meta"
    assert invoke(calls, "{}", call_id="c5").tool_call_id == "c5"
    numbered = Runtime(
        load(shop.name), permission=allow_all, missing=load(shop.name).toolsets, new_id=lambda _what: "made"
    )
    assert invoke(numbered, call_id="").tool_call_id == "made"


def test_reg_18_results_are_paired_by_id_instead_of_order(shop: Shop) -> None:
    async def refund(args: Any, meta: ToolCallMeta) -> Any:
        await asyncio.sleep(0.01 if args.order_id == "1" else 0)
        return {"refunded": True, "message": args.order_id}

    async def both() -> list[ToolResult[Any]]:
        calls = runtime(shop, handlers(refund))
        requests = [ToolRequest(name=REFUND, payload=json.dumps({"order_id": n}), tool_call_id=f"c{n}") for n in "12"]
        return [await done for done in asyncio.as_completed([calls.invoke(request) for request in requests])]

    assert [(result.tool_call_id, value_of(result).message) for result in asyncio.run(both())] == [
        ("c2", "2"),
        ("c1", "1"),
    ]


def test_a_tool_without_an_executor_is_unavailable(shop: Shop) -> None:
    result = invoke(runtime(shop), "{}", "shop__reviews__list")
    error = error_of(result)
    assert (error.kind, error.code) == (FailureKind.UNAVAILABLE, "no_executor")
    assert (
        error.message == "shop.reviews.list is unavailable: this runtime has no executor for the toolset shop.reviews"
    )
    assert result.tool_name == "shop.reviews.list"


def test_blocking_handlers_run_in_a_thread_and_others_in_the_loop(shop: Shop) -> None:
    def where(_args: Any, _meta: Any) -> Any:
        return {"refunded": threading.current_thread() is threading.main_thread()}

    class Orders:
        @blocking
        def refund(self, _args: Any, _meta: Any) -> Any:
            return where(_args, _meta)

    assert value_of(invoke(runtime(shop, handlers(where)))).refunded is True
    assert value_of(invoke(runtime(shop, handlers(Orders().refund)))).refunded is False
    with pytest.raises(TypeError, match="is async"):

        @blocking
        async def wrong() -> None: ...


def test_types_that_disagree_with_their_schema_fail_only_the_call(shop: Shop) -> None:
    types = shop.folder / "shop" / "tools" / "orders" / "orders.py"
    types.write_text(types.read_text().replace("    amount: int | None = None\n", ""))
    error = error_of(invoke(runtime(shop, handlers(print)), '{"order_id": "o", "amount": 1}'))
    assert (error.kind, error.code) == (FailureKind.INTERNAL, "broken_package")
    assert "toolgen build" in error.message


class Methods:
    def fits(self, args: Any, meta: Any) -> None: ...
    def no_meta(self, args: Any) -> None: ...
    def three(self, args: Any, meta: Any, more: Any) -> None: ...
    def keyword(self, args: Any, meta: Any, *, more: Any, most: Any = 1) -> None: ...
    def any_number(self, *all_: Any, more: Any = 1) -> None: ...
    def with_default(self, args: Any, meta: Any, more: Any = 1) -> None: ...
    @classmethod
    def of_class(cls, args: Any, meta: Any) -> None: ...
    @staticmethod
    def static(args: Any, meta: Any) -> None: ...
    def __call__(self, args: Any, meta: Any) -> None: ...


UNFIT: list[tuple[Any, str]] = [
    (5, r"handler of shop\.reviews\.list: it is of type int, not a function or a method"),
    (Methods.fits, r"fits is a method without its object: pass an object of Methods, not the class"),
    (Methods().no_meta, r"Methods\.no_meta takes \(args\), but gets the args and the ToolCallMeta"),
    (Methods().three, r"Methods\.three takes \(args, meta, more\), but gets the args and the ToolCallMeta"),
    (Methods().keyword, r"Methods\.keyword needs the keyword `more`, but gets the args"),
    (lambda: None, r"<lambda> takes \(\), but gets the args and the ToolCallMeta"),
]


@pytest.mark.parametrize(
    "handler",
    [
        *(Methods.of_class, Methods.static, Methods(), print, partial(Methods.fits, Methods())),
        *(getattr(Methods(), name) for name in ("fits", "any_number", "with_default", "of_class", "static")),
    ],
)
def test_a_handler_takes_args_and_meta_whatever_kind_of_function_it_is(shop: Shop, handler: Any) -> None:
    reviews = ToolsetRegistration(toolset="shop.reviews", handlers={"shop.reviews.list": handler})
    runtime(shop, reviews)


@pytest.mark.parametrize(
    ("registrations", "message"),
    [
        (
            [ToolsetRegistration(toolset="shop.order", executor=Recorder())],
            r"there is no toolset shop\.order .*did you mean shop\.orders\?",
        ),
        ([ToolsetRegistration(toolset="mcp.files", executor=Recorder())] * 2, r"mcp\.files has two executors"),
        ([ToolsetRegistration(toolset="mcp.files")], r"mcp\.files needs either handlers or an executor"),
        (
            [ToolsetRegistration(toolset="mcp.files", executor=Recorder(), handlers={})],
            "either handlers or an executor",
        ),
        (
            [ToolsetRegistration(toolset="shop.orders", handlers={"shop.orders.find": print})],
            r"lack shop\.orders\.refund",
        ),
        (
            [ToolsetRegistration(toolset="shop.reviews", handlers={"shop.reviews.list": print, "a.b": print})],
            r"include a\.b, but shop\.reviews has no such tool",
        ),
        *(
            ([ToolsetRegistration(toolset="shop.reviews", handlers={"shop.reviews.list": handler})], message)
            for handler, message in UNFIT
        ),
        (
            [ToolsetRegistration(toolset="mcp.files", executor=Recorder(), hosts={"mcp.files.x": ("h",)})],
            r"lists mcp\.files\.x in `hosts`, but has no such tool",
        ),
    ],
)
def test_invalid_executors_are_an_error_at_start(
    shop: Shop, registrations: list[ToolsetRegistration], message: str
) -> None:
    with pytest.raises(ExecutorError, match=message):
        runtime(shop, *registrations)


@pytest.mark.parametrize(
    ("executors", "message"),
    [
        (ToolsetRegistration(toolset="mcp.files", executor=Recorder()), r"write \[orders\.executor\(handlers\)\]"),
        (iter(()), "executors must be a list of registrations"),
        ([Recorder()], r"one is of type Recorder: pass the return value of `executor` of the generated toolset"),
    ],
)
def test_invalid_registrations_are_an_error_at_start(shop: Shop, executors: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Runtime(load(shop.name), executors=executors, permission=allow_all)


def test_a_runtime_needs_no_package() -> None:
    assert error_of(invoke(Runtime(Catalog(), permission=allow_all))).message == "unknown tool"
