"""Stubs: what answers a call, in which order, and that all else of the runtime stays real."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.testing.world import EACH_KIND, built, catalog, invoke, invoke_in, orders_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute import http_executor
from toolgen.record import MemoryStore, calls_of
from toolgen.runtime import Decision, FailureKind, Ident, Runtime, ToolRateLimited, ToolResult, allow_all, deny_all
from toolgen.testing import StubError, stub_executors, when

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.runtime import Catalog, PermissionRequest

__all__ = ["catalog"]


def named(tool: str) -> Ident[Any, Any]:
    return Ident(tool)


def value_of(result: ToolResult[Any]) -> Any:
    assert result.error is None, result.error
    return json.loads(result.payload)


@pytest.mark.parametrize(("tool", "given"), EACH_KIND.items(), ids=EACH_KIND)
def test_each_kind_of_toolset_is_answered_by_the_test(catalog: Catalog, tool: str, given: Any) -> None:
    args, result = given
    stubs = stub_executors(catalog, when(named(tool), **args).returns(result))
    assert value_of(invoke(catalog, stubs, tool, args)) == result
    (call,) = stubs.calls
    assert (call.ident, call.arguments, call.answered_by, call.meta.user) == (tool, args, "test", "ann")
    stubs.check()


@pytest.mark.parametrize(("tool", "given"), EACH_KIND.items(), ids=EACH_KIND)
def test_each_kind_of_toolset_gets_a_made_result(catalog: Catalog, tool: str, given: Any) -> None:
    made = [value_of(invoke(catalog, stub_executors(catalog, seed=seed), tool, given[0])) for seed in (1, 1, 2)]
    assert made[0] == made[1]
    assert catalog.codec(tool, "result").check(made[2]) == ()


def test_an_example_of_the_spec_answers_before_a_made_value(catalog: Catalog) -> None:
    stubs = stub_executors(catalog)
    tool = "shop.orders.find"
    assert value_of(invoke(catalog, stubs, tool, {"customer": "bob", "limit": 1.0})) == ["o-3"]
    assert value_of(invoke(catalog, stubs, tool, {"customer": "eve"})) == ["o-1", "o-2"]
    assert [call.answered_by for call in stubs.calls] == ["example", "example"]


def test_the_last_answer_that_means_a_call_answers_it(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs = stub_executors(catalog, when(orders.REFUND).returns(orders.RefundResult(refunded=1)))
    stubs.set(when(orders.REFUND, order_id="o-2").returns(orders.RefundResult(refunded=2)))
    stubs.set(when(orders.REFUND, orders.RefundArgs(order_id="o-3", amount=1)).returns({"refunded": 3}))
    stubs.set(when(orders.REFUND, lambda args: args.amount == 4).returns({"refunded": 4}))

    def refunded(**args: Any) -> Any:
        return value_of(invoke(catalog, stubs, "shop.orders.refund", args))["refunded"]

    assert refunded(order_id="o-1") == 1
    assert refunded(order_id="o-2", amount=9) == 2
    assert refunded(order_id="o-3", amount=1.0) == 3
    assert refunded(order_id="o-3", amount=2) == 1
    assert refunded(order_id="o-2", amount=4) == 4
    stubs.check()


def test_answers_of_a_sequence_come_one_after_the_other(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    busy = ToolRateLimited("shop.orders.refund", 2)
    stubs = stub_executors(catalog, when(orders.REFUND).returns(busy, {"refunded": 1}, {"refunded": 2}))
    results = [invoke(catalog, stubs, "shop.orders.refund", {"order_id": "o-1"}) for _ in range(4)]
    assert [result.success for result in results] == [False, True, True, False]
    assert [value_of(result)["refunded"] for result in results[1:3]] == [1, 2]
    last = results[3].error
    assert last is not None
    assert last.code == "no_stub_answer"
    assert "its 3 answers are used up" in last.message
    with pytest.raises(AssertionError, match="used up"):
        stubs.check()


def test_errors_are_raised_as_by_a_handler(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs = stub_executors(catalog, when(orders.REFUND).raises(TimeoutError("too slow")))
    error = invoke(catalog, stubs, "shop.orders.refund", {"order_id": "o-1"}).error
    assert error is not None
    assert (error.kind, error.message) == (FailureKind.TIMEOUT, "too slow")


def test_a_function_answers_with_typed_args(catalog: Catalog) -> None:
    orders = orders_of(catalog)

    async def refund(args: Any, meta: Any) -> Any:
        assert isinstance(args, orders.RefundArgs)
        return orders.RefundResult(refunded=args.amount, note=meta.user)

    stubs = stub_executors(catalog, when(orders.REFUND).after(0.001).runs(refund))
    value = value_of(invoke(catalog, stubs, "shop.orders.refund", {"order_id": "o-1", "amount": 3}))
    assert value == {"refunded": 3, "note": "ann"}


def test_a_malformed_result_of_a_function_is_one_of_the_tool(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs = stub_executors(catalog, when(orders.REFUND).runs(lambda _args, _meta: {"refunded": "much"}))
    error = invoke(catalog, stubs, "shop.orders.refund", {"order_id": "o-1"}).error
    assert error is not None
    assert error.kind is FailureKind.MALFORMED_RESULT


@pytest.mark.parametrize("tool", ["shop.orders.wait", "local.wait"])
def test_a_delay_meets_the_timeout_of_the_tool(catalog: Catalog, tool: str) -> None:
    stubs = stub_executors(catalog, when(named(tool)).after(30).returns({"waited": True}))
    error = invoke(catalog, stubs, tool).error
    assert error is not None
    assert error.kind is FailureKind.TIMEOUT


def test_progress_is_recorded(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    answer = when(orders.REFUND).reports({"done": 1}, {"done": 2}).returns({"refunded": 1})
    store = MemoryStore()
    invoke(catalog, stub_executors(catalog, answer), "shop.orders.refund", {"order_id": "o-1"}, store=store)
    (call,) = calls_of(asyncio.run(store.read("r1")))
    assert [event.data["done"] for event in call.events if event.kind == "tool_progress"] == [1, 2]
    assert call.result is not None
    assert call.result.content["value"] == {"refunded": 1}


def test_policies_permission_and_codecs_stay_real(catalog: Catalog) -> None:
    stubs = stub_executors(catalog)
    denied = invoke(catalog, stubs, "shop.orders.purge").error
    asked = invoke(catalog, stubs, "shop.orders.refund", {"order_id": "o-1"}, permission=deny_all).error
    invalid = invoke(catalog, stubs, "shop.orders.refund", {"order_id": "1"}).error
    assert denied is not None
    assert asked is not None
    assert invalid is not None
    assert denied.kind is asked.kind is FailureKind.PERMISSION_DENIED
    assert invalid.kind is FailureKind.INVALID_CALL
    assert stubs.calls == ()


@pytest.mark.parametrize(("tool", "args"), [("shop.orders.mail", {"to": "bob"}), ("mcp.clock.alarm", {"zone": "UTC"})])
def test_injected_fields_are_in_the_meta_and_not_among_the_args(catalog: Catalog, tool: str, args: Any) -> None:
    stubs = stub_executors(catalog)
    result = invoke(catalog, stubs, tool, args, inject={"token": lambda _meta: "t"})
    assert result.success
    (call,) = stubs.calls
    assert call.arguments == args
    assert call.meta.injected == {"token": "t"}


def test_calls_of_agents_run_in_the_loop_of_their_caller_as_real_ones(catalog: Catalog) -> None:
    assert [each.toolset for each in stub_executors(catalog) if each.inline] == ["lab.research"]


def test_a_result_that_cannot_be_made_says_how_to_set_one(catalog: Catalog) -> None:
    stubs = stub_executors(catalog)
    error = invoke(catalog, stubs, "shop.orders.odd").error
    assert error is not None
    assert error.message.startswith("shop.orders.odd has no answer: a result cannot be made up")
    assert "when(orders.ODD).returns(…)" in error.hint
    assert stubs.calls[0].answered_by == "nothing"
    with pytest.raises(AssertionError, match=r"shop\.orders\.odd has no answer"):
        stubs.check()


def test_calls_are_found_and_asserted_by_what_they_mean(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs = stub_executors(catalog)
    runtime = Runtime(catalog, executors=stubs, permission=allow_all)

    async def run() -> None:
        await runtime.call(orders.REFUND, orders.RefundArgs(order_id="o-1"))
        await invoke_in(runtime, "shop.orders.refund", {"order_id": "o-2", "amount": 2})
        await invoke_in(runtime, "shop.orders.find", {"customer": "ann"})

    asyncio.run(run())
    assert [call.args.order_id for call in stubs.calls_of(orders.REFUND)] == ["o-1", "o-2"]
    assert [call.args.amount for call in stubs.calls_of(when(orders.REFUND, amount=2))] == [2]
    stubs.assert_called(orders.REFUND)
    stubs.assert_called(orders.REFUND, times=2)
    stubs.assert_called(when(orders.REFUND, order_id="o-9"), times=0)
    stubs.assert_called(when(orders.FIND, limit=10), times=1)
    stubs.assert_called(when(orders.FIND, orders.FindArgs(customer="ann", limit=10)), times=1)
    with pytest.raises(AssertionError) as caught:
        stubs.assert_called(when(orders.REFUND, order_id="o-9"))
    assert str(caught.value) == (
        "when(shop.orders.refund, order_id='o-9') was called 0 times, not at least once; the calls were:\n"
        '  shop.orders.refund {"order_id":"o-1"} (answered by schema)\n'
        '  shop.orders.refund {"amount":2,"order_id":"o-2"} (answered by schema)'
    )
    with pytest.raises(AssertionError, match=r"shop\.orders\.find was called 1 times, not 3 times"):
        stubs.assert_called(orders.FIND, times=3)


def test_an_answer_that_no_call_gets_is_reported(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs = stub_executors(catalog, when(orders.REFUND, order_id="o-7").returns({"refunded": 1}))
    with pytest.raises(AssertionError, match=r"no call got the answer of when\(shop.orders.refund, order_id='o-7'\)"):
        stubs.check()


def test_answers_that_no_call_can_get_are_refused(catalog: Catalog) -> None:
    orders = orders_of(catalog)
    refund = orders.REFUND

    def refused(answer: Any) -> str:
        with pytest.raises(StubError) as caught:
            stub_executors(catalog, answer, toolsets=["shop.orders"])
        return str(caught.value)

    assert "did you mean `order_id`?" in refused(when(refund, orderid="o-1").returns({"refunded": 1}))
    assert "order_id: " in refused(when(refund, order_id="1").returns({"refunded": 1}))
    assert "means no call" in refused(when(refund, {"order_id": "1"}).returns({"refunded": 1}))
    assert "returns no result of the tool" in refused(when(refund).returns({"refunded": "1"}))
    assert "returns no result" in refused(when(refund).returns(ToolResult(payload=b"{}")))
    assert "did you mean shop.orders.refund?" in refused(when(named("shop.orders.refnud")).returns(1))
    assert "its toolset is left out" in refused(when(named("local.count")).returns({"lines": 1}))
    with pytest.raises(StubError, match=r"did you mean shop\.orders\?"):
        stub_executors(catalog, toolsets=["shop.order"])
    with pytest.raises(ValueError, match="needs the result"):
        when(refund).returns()
    with pytest.raises(ValueError, match="not both"):
        when(refund, {"order_id": "o-1"}, order_id="o-1")


def test_only_some_toolsets_are_stubbed(catalog: Catalog) -> None:
    stubs = stub_executors(catalog, toolsets=["shop.orders"])
    assert [each.toolset for each in stubs] == ["shop.orders"]
    assert invoke(catalog, stubs, "shop.orders.find", {"customer": "ann"}).success


API = """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.example.com/v1"}
tools:
  rename:
    description: Rename an item.
    args: {id: integer, name: string}
    result: {name: string}
    http: {method: PUT, path: "/items/{id}", params: {id: path, name: query}}
"""


def test_a_person_is_asked_about_a_stubbed_call_as_about_a_real_one(tmp_path: Path) -> None:
    request = ToolRequest(name="shop.api.rename", payload=b'{"id": 7, "name": "pen"}')
    asked: list[PermissionRequest] = []
    with contextmanager(built)(tmp_path, API) as catalog:
        for executors in (stub_executors(catalog), [http_executor(catalog, "shop.api")]):
            runtime = Runtime(catalog, executors=executors, permission=lambda _: Decision.DENY)
            question = asyncio.run(
                runtime.permission_request(request, runtime.start_run(meta=ToolCallMeta(run_id="r")))
            )
            assert question is not None
            asked.append(replace(question, meta=ToolCallMeta()))
    assert asked[0] == asked[1]
    assert asked[0].request == "PUT https://api.example.com/v1/items/7?name=pen"
    assert asked[0].hosts == ("api.example.com",)


def test_network_rules_judge_the_host_of_a_stubbed_api(tmp_path: Path) -> None:
    policy = "toolgen: 1\npolicy: closed\nnetwork: {api.example.com: deny}\n"
    with contextmanager(built)(tmp_path, API, policy) as catalog:
        result = invoke(catalog, stub_executors(catalog), "shop.api.rename", {"id": 7, "name": "pen"})
    assert result.error is not None
    assert result.error.kind is FailureKind.PERMISSION_DENIED
