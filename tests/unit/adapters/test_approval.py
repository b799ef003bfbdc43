"""Approvals: the request of a call is known before it is made, and an answer applies once, only to that call."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.adapters.shop import Host, Store
from toolgen.adapters.bridge import Bridge
from toolgen.contract.records import FailureKind
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.runtime import Catalog, Runtime, ToolCallMeta, ToolRequest, allow_all
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.approval import answered, ask_before_call, decision_of, question_id
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.spec.tool_use import LAYERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime.policy.permission import PermissionRequest

    LoadStore = Callable[[], Catalog]

ALLOWED = PermissionDecision(decision=Decision.ALLOW_ONCE)
FOR_SESSION = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)


def buying(host: Host, call_id: str = "c1", payload: str = '{"id":1}', name: str = "store__buy") -> Any:
    request = ToolRequest(name=name, payload=payload, tool_call_id=call_id)
    return request, asyncio.run(host.runtime.permission_request(request, host.run))


def invoke(host: Host, request: ToolRequest) -> FailureKind | None:
    result = asyncio.run(host.runtime.invoke(request, run=host.run))
    return result.error.kind if result.error else None


def test_the_permission_request_of_a_call_is_known_before_it_is_made(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    _, question = buying(host)
    assert question is not None
    assert (question.tool_name, question.scope, question.meta.user) == ("store.buy", (("scope", "1"),), "of the run")
    assert question.meta.tool_call_id == "c1"
    assert host.store.calls == []
    with pytest.raises(RunNotFound):
        asyncio.run(host.outcomes())


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("store.find", '{"word":"tea"}'),  # readonly
        ("store.close", "{}"),  # not in the run
        ("store.sell", "{}"),  # unknown
        ("store.buy", '{"id":"one"}'),  # invalid
        ("store.buy", "{"),  # no JSON
    ],
)
def test_a_call_that_runs_or_fails_without_permission_has_no_request(
    load_store: LoadStore, name: str, payload: str
) -> None:
    host = Host(load_store(), ask_before_call)
    assert buying(host, name=name, payload=payload)[1] is None


def test_a_host_that_allows_all_has_no_requests(load_store: LoadStore) -> None:
    assert buying(Host(load_store(), allow_all))[1] is None


def test_an_aborted_run_has_no_requests(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    host.run.abort()
    assert buying(host)[1] is None


def test_a_grant_of_the_session_ends_requests_for_its_scope(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    request, question = buying(host)
    with answered(question, FOR_SESSION):
        assert invoke(host, request) is None
    assert buying(host, "c2")[1] is None
    assert buying(host, "c3", '{"id":2}')[1] is not None


def test_an_answer_applies_once_and_only_to_its_call(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    request, question = buying(host)
    other_args, other_id = replace(request, payload='{"id":2}'), replace(request, tool_call_id="c2")
    assert invoke(host, request) is FailureKind.PERMISSION_DENIED
    with answered(question, ALLOWED):
        assert invoke(host, other_args) is FailureKind.PERMISSION_DENIED
        assert invoke(host, other_id) is FailureKind.PERMISSION_DENIED
        assert invoke(host, request) is None
        assert invoke(host, request) is FailureKind.PERMISSION_DENIED
    assert invoke(host, request) is FailureKind.PERMISSION_DENIED
    assert host.store.orders == [1]
    other_run = Host(load_store(), ask_before_call)
    with answered(question, ALLOWED):
        assert invoke(other_run, request) is FailureKind.PERMISSION_DENIED


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (True, "allow_once"),
        (False, "deny"),
        ("allow_for_session", "allow_for_session"),
        (Decision.ALLOW_ONCE, "allow_once"),
        ({"decision": "allow_once"}, "allow_once"),
        ({"decision": True, "reason": "why not"}, "allow_once"),
        (FOR_SESSION, "allow_for_session"),
        ("yes", "deny"),
        (1, "deny"),
        (None, "deny"),
        ({}, "deny"),
        ({"decision": "allow_once", "reason": 1}, "deny"),
        ({"decision": ["allow_once"]}, "deny"),
    ],
)
def test_an_invalid_decision_is_a_denial(answer: Any, decision: str) -> None:
    assert decision_of(answer).decision == decision


def test_a_call_that_a_limit_refuses_is_not_asked_about_and_asking_counts_nothing() -> None:
    catalog = Catalog()
    limits = {"daily_limit": 1}

    @catalog.tool("shop.order", input_schema={"type": "object"}, metadata={"limits": limits})
    async def order(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Order."""
        return "ordered"

    async def use() -> None:
        runtime = Runtime(catalog, permission=ask_before_call)
        bridge = Bridge[None](runtime, runtime.start_run(meta=ToolCallMeta(user="ann")))
        asked = [await bridge.read("shop__order", "{}", f"c{number}", None) for number in range(3)]
        assert all(call.question is not None for call in asked)
        assert (await bridge.make(asked[0], ALLOWED)).text == "ordered"
        refused = await bridge.read("shop__order", "{}", "c4", None)
        assert refused.question is None
        assert "rate limit exceeded" in (await bridge.make(refused)).text
        nobody = Bridge[None](runtime, runtime.start_run())
        assert (await nobody.read("shop__order", "{}", "c5", None)).question is None

    asyncio.run(use())


def test_a_denial_is_recorded_and_never_runs_whatever_is_granted(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    bridge = Bridge[None](host.runtime, host.run)

    async def use() -> None:
        first = await bridge.read("store__buy", '{"id":1}', "c1", None)
        assert not (await bridge.make(first, FOR_SESSION)).is_error
        assert (await bridge.read("store__buy", '{"id":1}', "c2", None)).question is None  # granted
        await bridge.record_denial("store__buy", '{"id":1}', "c2", None, "no more")
        await bridge.record_denial("store__find", '{"word":"tea"}', "c3", None, "never asked")

    asyncio.run(use())
    assert host.store.names == ["buy"]
    assert asyncio.run(host.denials()) == [("c2", "no more")]
    assert asyncio.run(host.outcomes()) == [("store.buy", "ok"), ("store.buy", "permission_denied")]


def test_a_presentation_that_lists_no_tools_is_refused(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    tool_use = ToolUse(host.runtime.catalog, ToolUseConfig(presentations=dict.fromkeys(LAYERS, "codeact")))
    with pytest.raises(ValueError, match="lists no tools"):
        Bridge[Any](host.runtime, host.run, presentation=tool_use.presentation("chat", host.run))


def test_missing_fields_of_the_meta_come_from_the_run(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    bridge = Bridge[str](host.runtime, host.run, lambda user: ToolCallMeta(user=user, session_id="s"))
    call = asyncio.run(bridge.read("store__gift", "{}", "", "ann"))
    assert (call.meta.user, call.meta.session_id) == ("ann", "s")
    assert call.meta.run_id == host.run.meta.run_id
    assert call.meta.agent_role == "main"
    outcome = asyncio.run(bridge.make(call))
    assert (outcome.text, outcome.is_error, outcome.is_invalid) == ("a ribbon", False, False)
    assert host.store.calls[0][1].tool_call_id.startswith("call_")
    unknown = asyncio.run(bridge.make(asyncio.run(bridge.read("store__gitf", "{}", "", "ann"))))
    assert "store__gift" in unknown.text
    assert unknown.is_error


def test_a_denied_call_never_runs_also_if_another_answer_grants_its_scope_meanwhile(
    load_store: LoadStore,
) -> None:
    host = Host(load_store(), ask_before_call)
    bridge = Bridge[None](host.runtime, host.run)

    async def use() -> None:
        first, second = [await bridge.read("store__buy", '{"id":1}', call_id, None) for call_id in ("c1", "c2")]
        assert not (await bridge.make(first, FOR_SESSION)).is_error
        denied = await bridge.make(second, PermissionDecision(decision=Decision.DENY, reason="one is enough"))
        assert "one is enough" in denied.text

    asyncio.run(use())
    assert host.store.orders == [1]


def test_an_answer_is_for_the_tool_as_it_was_compiled() -> None:
    """A deployment between the question and the answer: the same args mean something else."""

    def asked(description: str) -> PermissionRequest:
        catalog = Catalog()

        @catalog.tool("shop.order", input_schema={"type": "object"}, description=description)
        async def order(args: dict[str, Any], meta: ToolCallMeta) -> str:
            return "ordered"

        runtime = Runtime(catalog, permission=ask_before_call)
        request = ToolRequest(name="shop.order", payload="{}", tool_call_id="c1")
        question = asyncio.run(runtime.permission_request(request, runtime.start_run()))
        assert question is not None
        return question

    one, same, other = asked("Order."), asked("Order."), asked("Order, and pay at once.")
    assert question_id(one, "s") == question_id(same, "s") != question_id(other, "s")
    assert question_id(one, "s") != question_id(one, "t")


def test_an_answer_is_for_the_same_question_whether_hooks_look_at_the_call_or_not(load_store: LoadStore) -> None:
    """Hooks are asked when the call is made, not when the question is."""

    class Hook:
        def pre_tool_use(self, _call: object, /) -> None:
            return None

        def post_tool_use(self, _call: object, _result: object, /) -> None:
            return None

    store = Store()
    runtime = Runtime(
        load_store(), executors=[store.registration()], missing=["actions"], permission=ask_before_call, hooks=[Hook()]
    )

    async def use() -> None:
        bridge = Bridge[None](runtime, runtime.start_run("clerk"))
        call = await bridge.read("store__buy", '{"id":1}', "c1", None)
        assert not (await bridge.make(call, ALLOWED)).is_error

    asyncio.run(use())
    assert store.orders == [1]
