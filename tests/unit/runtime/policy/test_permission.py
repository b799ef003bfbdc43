from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, deny_all, load
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.runtime.package import Shop

OPEN = {"type": "object"}


def catalog_of(**tags: Any) -> Catalog:
    catalog = Catalog()
    definition = ToolDefinition(name="own.tool", description="x", input_schema=OPEN, **tags)
    catalog.register(definition, lambda _args: "ran")
    return catalog


def invoke(catalog: Catalog, permission: Callable[[PermissionRequest], Any], **more: Any) -> ToolResult[Any]:
    runtime = Runtime(catalog, permission=permission, **more)
    request = ToolRequest(name="own.tool", payload='{"b": 1, "a": 2}', tool_call_id="c")
    return asyncio.run(runtime.invoke(request, meta=ToolCallMeta(user="u")))


def was_denied(result: ToolResult[Any]) -> bool:
    return result.error is not None and result.error.kind is FailureKind.PERMISSION_DENIED


@pytest.mark.parametrize("decision", [Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION])
def test_reg_86_an_allowed_call_runs(decision: Any) -> None:
    async def later(_request: PermissionRequest) -> Any:
        return decision

    assert invoke(catalog_of(), lambda _request: decision).value == "ran"
    assert invoke(catalog_of(), later).value == "ran"


@pytest.mark.parametrize(
    "answer",
    [
        "allow_once",
        "allow_for_session",
        "deny",
        "",
        None,
        True,
        1,
        ["allow_once"],
        {"decision": "allow_once"},
        object(),
    ],
)
def test_reg_86_any_other_answer_is_a_denial(answer: Any) -> None:
    async def later(_request: PermissionRequest) -> Any:
        return answer

    assert [each.value for each in Decision] == ["allow_once", "allow_for_session", "deny"]
    assert was_denied(invoke(catalog_of(), lambda _request: answer))
    assert was_denied(invoke(catalog_of(), later))


def test_reg_96_an_exception_or_no_answer_is_a_denial_with_its_reason() -> None:
    def broken(_request: PermissionRequest) -> Any:
        raise KeyError("secret")

    async def silent(_request: PermissionRequest) -> Any:
        await asyncio.sleep(3600)

    failed = invoke(catalog_of(), broken)
    late = invoke(catalog_of(), silent, permission_timeout=0.01)
    assert was_denied(failed)
    assert was_denied(late)
    assert failed.content[0].data.splitlines()[0] == "own.tool was not allowed to run: the permission check failed"
    assert late.content[0].data.splitlines()[0] == "own.tool was not allowed to run: no answer in time"


def test_reg_96_an_answer_after_the_timeout_has_no_effect() -> None:
    async def stubborn(_request: PermissionRequest) -> Decision:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return Decision.ALLOW_ONCE

    late = invoke(catalog_of(), stubborn, permission_timeout=0.01)
    assert was_denied(late)
    assert "no answer in time" in late.content[0].data


def test_reg_96_a_callback_that_is_cancelled_is_a_denial() -> None:
    async def cancelled(_request: PermissionRequest) -> Decision:
        raise asyncio.CancelledError

    result = invoke(catalog_of(), cancelled)
    assert was_denied(result)
    assert "the permission check failed" in result.content[0].data


def test_a_callback_that_fails_or_gives_no_decision_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Anything:
        """Equal to every object."""

        __hash__ = None  # type: ignore[assignment]  # like many objects with custom equality

        def __eq__(self, _other: object) -> bool:
            return True

    def broken(_request: PermissionRequest) -> Any:
        raise KeyError("x")

    assert was_denied(invoke(catalog_of(), broken))
    assert was_denied(invoke(catalog_of(), lambda _request: Anything()))
    assert was_denied(invoke(catalog_of(), lambda _request: Decision.DENY))
    assert was_denied(invoke(catalog_of(), lambda _request: "allow_once"))
    wrong = "a PermissionDecision whose decision is of type str"
    as_text: Any = PermissionDecision(decision="allow_once")  # type: ignore[arg-type]  # under test
    assert was_denied(invoke(catalog_of(), lambda _request: as_text))
    assert [record.getMessage() for record in caplog.records] == [
        "the permission callback failed for own.tool; the call is denied",
        "the permission callback returned Anything for own.tool instead of a decision; the call is denied",
        "the permission callback returned str for own.tool instead of a decision; the call is denied",
        f"the permission callback returned {wrong} for own.tool instead of a decision; the call is denied",
    ]


@pytest.mark.parametrize(
    ("definition", "is_asked"),
    [
        ({}, True),
        ({"permission": "readonly"}, False),
        ({"permission": "readonly", "tags": {"dangerous"}}, True),
        ({"permission": "readonly", "tags": {"network"}}, True),
        ({"permission": "readonly", "tags": {"filesystem"}}, False),
    ],
)
def test_reg_85_a_plain_readonly_call_needs_no_permission(definition: dict[str, Any], is_asked: bool) -> None:
    asked: list[PermissionRequest] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    assert invoke(catalog_of(**definition), callback).value == "ran"
    assert bool(asked) is is_asked
    for request in asked:
        assert (request.tool_name, request.arguments, request.meta.user) == ("own.tool", b'{"a":2,"b":1}', "u")
        assert request.tags >= {request.permission}


def test_reg_92_deny_all_denies_only_calls_that_ask() -> None:
    assert was_denied(invoke(catalog_of(permission="write"), deny_all))
    assert not was_denied(invoke(catalog_of(permission="readonly"), deny_all))
    assert invoke(catalog_of(), allow_all).value == "ran"


def test_no_permission_is_requested_for_a_call_that_cannot_run(shop: Shop) -> None:
    runtime = Runtime(
        load(shop.name), permission=lambda _request: pytest.fail("asked"), missing=load(shop.name).toolsets
    )
    for name, payload in (("shop.orders.refund", '{"order_id": "o"}'), ("nothing.there", "{}")):
        result = asyncio.run(runtime.invoke(ToolRequest(name=name, payload=payload)))
        assert not was_denied(result)


def test_permission_for_an_executor_with_raw_json_shows_canonical_arguments(shop: Shop) -> None:
    asked: list[bytes] = []

    class Echo:
        def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
            return ToolResult(tool_name="", value={"refunded": True})

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request.arguments)
        return Decision.DENY

    for raw in (True, False):
        registration = ToolsetRegistration(toolset="shop.orders", executor=Echo(), decode_in_executor=raw)
        runtime = Runtime(
            load(shop.name), permission=callback, executors=[registration], missing=load(shop.name).toolsets
        )
        payload = '{ "order_id":"o", "amount": 1}'
        assert was_denied(asyncio.run(runtime.invoke(ToolRequest(name="shop.orders.refund", payload=payload))))
    assert asked == [b'{"amount":1,"order_id":"o"}'] * 2


def on_record(answer: Any) -> tuple[ToolResult[Any], Any]:
    """Make a call with this answer of the callback; return its result and the decision in its last event."""
    store = MemoryStore()
    result = invoke(catalog_of(), lambda _request: answer, store=store)

    async def last() -> Any:
        (summary,) = await store.runs()
        return (await store.read(summary.run_id)).events[-1].data

    return result, asyncio.run(last()).get("permission")


def test_reg_86_a_decision_may_have_a_reason_and_metadata() -> None:
    metadata = {"rule": 7, "password": "hunter2"}
    expected = {"reason": "not on a Sunday", "metadata": {"rule": 7, "password": "[redacted]"}}
    denial = PermissionDecision(decision=Decision.DENY, reason="not on a Sunday", metadata=metadata)
    result, recorded = on_record(denial)
    assert was_denied(result)
    first, *_ = result.content[0].data.splitlines()
    assert first == "own.tool was not allowed to run: permission was denied: not on a Sunday"
    assert recorded == expected
    result, recorded = on_record(replace(denial, decision=Decision.ALLOW_ONCE))
    assert (result.value, recorded) == ("ran", expected)
    assert "Sunday" not in result.content[0].data
    for plain in (Decision.ALLOW_ONCE, PermissionDecision(decision=Decision.ALLOW_ONCE)):
        result, recorded = on_record(plain)
        assert (result.value, recorded) == ("ran", None)


@pytest.mark.parametrize(
    "answer",
    [
        PermissionDecision(decision=True),  # type: ignore[arg-type]  # under test
        PermissionDecision(decision="allow"),  # type: ignore[arg-type]  # under test
        PermissionDecision(decision="allow_once"),  # type: ignore[arg-type]  # under test
        PermissionDecision(decision=Decision.ALLOW_ONCE, reason=5),  # type: ignore[arg-type]  # under test
        PermissionDecision(decision=Decision.ALLOW_ONCE, metadata={"a": object()}),
        PermissionDecision(decision=Decision.ALLOW_ONCE, metadata=[1]),  # type: ignore[arg-type]  # under test
        PermissionDecision(decision=PermissionDecision(decision=Decision.ALLOW_ONCE)),  # type: ignore[arg-type]  # too
    ],
)
def test_reg_86_a_malformed_decision_is_a_denial(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    result, recorded = on_record(answer)
    assert was_denied(result)
    assert recorded is None
    assert len(caplog.records) == 1


def test_reg_86_the_reason_of_a_denial_is_one_line_without_secrets() -> None:
    reason = "no: token=ghp_0123456789abcdefghijABCDEFGHIJ012345\nignore \x1b[2J all of it"
    result, _ = on_record(PermissionDecision(decision=Decision.DENY, reason=reason))
    first, *rest = result.content[0].data.splitlines()
    assert "ghp_0123" not in result.content[0].data
    assert first.isprintable()
    assert rest == ["do not repeat the call unchanged; go on without it, or ask the user"]
