"""FastMCP: a server offers the tools of a run beside its own to FastMCP's client, in both protocol revisions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitResult
from mcp.shared.exceptions import MCPError

from tests.unit.adapters.shop import Host
from tests.unit.engine.app import add_policy
from toolgen.adapters.fastmcp import add_tools
from toolgen.runtime import Catalog, ToolCallMeta
from toolgen.runtime.policy.approval import ask_before_call

if TYPE_CHECKING:
    from collections.abc import Callable

    LoadStore = Callable[[], Catalog]


def server_of(host: Host) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("mine")

    @server.tool
    def hello() -> str:
        return "hello"

    add_tools(server, host.runtime, host.run, meta=lambda _: ToolCallMeta(user="ann"))
    return server


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_whole_task_with_an_approval_a_denial_a_limit_and_a_wrong_call(load_store: LoadStore, mode: str) -> None:
    host = Host(load_store(), ask_before_call)
    asked: list[str] = []

    async def decide(message: str, _type: Any, params: Any, _context: Any) -> Any:
        asked.append(message)
        assert "scope | scope" in message, "the person is told what an answer for the session covers"
        assert "because | write" in message
        choices = params.requested_schema["properties"]["decision"]["enum"]
        assert choices == ["allow_once", "allow_for_session", "deny"]
        if '"count":9' in message.replace(" ", ""):
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"decision": "allow_for_session"})

    async def task() -> list[Any]:
        async with Client(server_of(host), elicitation_handler=decide, mode=mode) as client:
            names = {tool.name for tool in await client.list_tools()}
            assert {"hello", "store__find", "store__buy"} <= names
            assert "store__close" not in names

            async def call(name: str, /, **args: Any) -> Any:
                return await client.call_tool(name, args, raise_on_error=False)

            return [
                await call("store__find", word="k"),
                await call("store__find", word="kettle"),
                await call("store__gift"),
                await call("store__gift"),
                await call("store__buy", id=1),
                await call("store__buy", id=1),
                await call("store__buy", id=2, count=9),
                await call("hello"),
            ]

    results = asyncio.run(task())
    assert [result.is_error for result in results] == [True, False, False, True, False, False, True, False]
    assert "word" in results[0].content[0].text
    assert results[1].content[0].text == '[{"id":1,"name":"red kettle"},{"id":2,"name":"blue kettle"}]'
    assert results[4].structured_content == {"order": 1, "cost": 2500}
    assert len(asked) == 2
    assert "the person did not allow it" in results[6].content[0].text
    assert host.store.orders == [1, 1]
    assert {meta.user for _, meta in host.store.calls} == {"ann"}
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"), ("store.gift", "rate_limited"),
        ("store.buy", "ok"), ("store.buy", "ok"), ("store.buy", "permission_denied"),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("rule", "orders", "said"),
    [
        ({"people": 2}, [], "it needs the answer of 2 people, and one person answers here"),
        ({"user": True}, [1], "approvers | the user of the run"),
    ],
)
def test_the_person_behind_the_client_is_asked_what_they_alone_may_allow(
    load_store: LoadStore, mode: str, rule: dict[str, Any], orders: list[int], said: str
) -> None:
    catalog = load_store()
    add_policy(catalog, {"approvers": {"store.buy": rule}})
    host = Host(catalog, ask_before_call)
    heard: list[str] = []

    async def allow(message: str, *_: Any) -> Any:
        heard.append(message)
        return ElicitResult(action="accept", content={"decision": "allow_once"})

    async def task() -> Any:
        async with Client(server_of(host), elicitation_handler=allow, mode=mode) as client:
            return await client.call_tool("store__buy", {"id": 1}, raise_on_error=False)

    result = asyncio.run(task())
    assert (len(heard), host.store.orders) == (len(orders), orders)
    assert said in (heard[0] if heard else result.content[0].text)


def test_a_client_that_cannot_ask_is_denied(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)

    async def task() -> Any:
        async with Client(server_of(host)) as client:
            return await client.call_tool("store__buy", {"id": 1}, raise_on_error=False)

    result = asyncio.run(task())
    assert result.is_error
    assert "does not support elicitation" in result.content[0].text
    assert host.store.orders == []


def test_an_answer_counts_once_and_for_the_call_that_was_asked_about(load_store: LoadStore) -> None:
    """A client brings back what it was given, again, late, or with another call."""
    host = Host(load_store(), ask_before_call)
    accept: Any = {"decision": ElicitResult(action="accept", content={"decision": "allow_once"})}
    decline: Any = {"decision": ElicitResult(action="decline")}

    async def nobody(*_: Any) -> Any:
        raise AssertionError("the answers are sent by hand")

    async def task() -> None:
        async with Client(server_of(host), elicitation_handler=nobody, mode="auto") as client:

            async def call(name: str, args: dict[str, Any], state: str | None = None, answer: Any = None) -> Any:
                given = {"allow_input_required": True, "request_state": state, "input_responses": answer}
                return await client.session.call_tool(name, args, **given)

            async def refused(*call_: Any) -> None:
                bought = list(host.store.orders)
                try:
                    result = await call(*call_)
                    said = result.content[0].text if result.is_error else ""
                except MCPError as error:  # by the server's own seal
                    said = error.message
                assert "no open question" in said or "requestState" in said
                assert host.store.orders == bought

            first, second = [(await call("store__buy", {"id": number})).request_state for number in (1, 2)]
            await refused("store__buy", {"id": 2}, first, accept)
            await refused("store__buy", {"id": 1, "count": 9}, first, accept)
            await refused("store__buy", {"id": 1}, "call_0", accept)
            await refused("store__buy", {"id": 1}, first, {"other": accept["decision"]})
            await refused("store__price", {"id": 1}, first, accept)
            assert not (await call("store__buy", {"id": 2}, second, accept)).is_error
            assert (await call("store__buy", {"id": 1}, first, decline)).is_error
            await refused("store__buy", {"id": 1}, first, accept)
            await refused("store__buy", {"id": 2}, second, accept)

    asyncio.run(task())
    assert host.store.orders == [2]


def test_questions_of_one_user_end_none_of_another(load_store: LoadStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.adapters.fastmcp.KEPT", 4)
    host, server, user = Host(load_store(), ask_before_call), FastMCP[Any]("mine"), "ann"
    add_tools(server, host.runtime, host.run, meta=lambda _: ToolCallMeta(user=user))
    accept: Any = {"decision": ElicitResult(action="accept", content={"decision": "allow_once"})}

    async def nobody(*_: Any) -> Any:
        raise AssertionError("the answers are sent by hand")

    async def task() -> None:
        nonlocal user
        async with Client(server, elicitation_handler=nobody, mode="auto") as client:

            async def buy(good: int, state: str | None = None) -> Any:
                responses = accept if state else None
                given = {"allow_input_required": True, "request_state": state, "input_responses": responses}
                return await client.session.call_tool("store__buy", {"id": good}, **given)

            of_ann = (await buy(1)).request_state
            user = "bob"
            of_bob = [(await buy(2)).request_state for _ in range(9)]
            assert [(await buy(2, state)).is_error for state in of_bob] == [True] * 6 + [False] * 3
            user = "ann"
            assert not (await buy(1, of_ann)).is_error

    asyncio.run(task())
    assert host.store.orders == [2, 2, 2, 1]
