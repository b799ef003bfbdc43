"""Answers that come by MCP, to FastMCP's server and to ours: exactly the calls run that a person allowed, once each."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client as FastMcpClient
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, InputRequiredResult

from tests.unit.adapters.shop import GOODS, Host, Store
from tests.unit.adapters.test_answers import CALLS, Asked
from tests.unit.adapters.test_fastmcp import server_of
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.serve import ask_client, mcp_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

KEYS = {"fastmcp": "decision", "serve": "permission"}
"""The key of the only question of a result, by the server."""

TURN = st.lists(CALLS, min_size=1, max_size=5)
STEPS = st.lists(st.sampled_from(["answer", "answer", "answer", "wrong", "again", "late"]), min_size=20, max_size=20)


@asynccontextmanager
async def connected(door: str, catalog: Catalog, store: Store, mode: Any, asked: Any) -> AsyncGenerator[Any]:
    """Connect to a server with a runtime of its own; the goods are those of all servers."""
    if door == "fastmcp":
        host = Host(catalog, ask_before_call, store=store)
        async with FastMcpClient(server_of(host), elicitation_handler=asked, mode=mode) as client:
            yield client.session
        return
    host = Host(catalog, ask_client, store=store)
    server = mcp_server(host.runtime, host.run)

    async def elicited(context: Any, params: Any) -> Any:
        return await asked(params.message, None, params, context)

    async with Client(server.protocol, elicitation_callback=elicited, mode=mode) as client:
        yield client.session
    await server.close()


def answer(is_allowed: bool) -> ElicitResult:
    if is_allowed:
        return ElicitResult(action="accept", content={"decision": "allow_once"})
    return ElicitResult(action="decline")


async def made(
    session: Any,
    call: Asked,
    state: str | None = None,
    responses: Any = None,
    *,
    key: str = "",
    good: int | None = None,
) -> Any:
    given = {key: responses} if key else None
    args = {"id": call.good if good is None else good}
    return await session.call_tool(
        f"store__{call.name}", args, allow_input_required=True, request_state=state, input_responses=given
    )


@pytest.mark.parametrize("door", KEYS)
@settings(max_examples=10, deadline=None)
@given(turn=TURN, steps=STEPS, data=st.data())
@pytest.mark.variants(1)
def test_what_comes_back_in_other_requests_answers_the_question_that_it_names(
    load_store: LoadStore, door: str, turn: list[Asked], steps: list[str], data: st.DataObject
) -> None:
    """In the revision 2026-07-28: several calls are open, answers come in any order, again, and after a restart."""
    catalog, store, key = load_store(), Store(), KEYS[door]
    allowed = Counter[int]()
    asked_about = sum(call.name == "buy" for call in turn)

    async def refused(session: Any, *given: Any, **more: Any) -> None:
        bought = list(store.orders)
        try:
            result = await made(session, *given, **more)
        except MCPError:
            pass
        else:
            is_open = isinstance(result, InputRequiredResult)
            assert is_open or result.is_error, "it answers no open question"
        assert store.orders == bought

    async def nobody(*_: Any) -> Any:
        raise AssertionError("questions come as results")

    async def use() -> None:
        answered: list[tuple[str, Asked]] = []
        left, steps_left = list(turn), list(steps)
        while left:
            async with connected(door, catalog, store, "auto", nobody) as session:
                open_: list[tuple[str, Asked]] = []
                for call in left:
                    result = await made(session, call)
                    if isinstance(result, InputRequiredResult):
                        open_.append((str(result.request_state), call))
                    else:
                        assert call.name == "price"
                left = [call for _, call in open_]
                for state, call in answered:  # of the server before this one, if any
                    await refused(session, call, state, answer(True), key=key)
                while open_:
                    step = steps_left.pop() if steps_left else "answer"
                    place = data.draw(st.integers(0, len(open_) - 1), "which")
                    state, call = open_[place]
                    if step == "answer":
                        is_allowed = data.draw(st.booleans(), f"{call.good} is allowed")
                        result = await made(session, call, state, answer(is_allowed), key=key)
                        assert result.is_error is not is_allowed
                        allowed[call.good] += is_allowed
                        del open_[place]
                        left.remove(call)
                        answered.append((state, call))
                    elif step == "wrong":
                        other = data.draw(st.sampled_from(sorted(GOODS.keys() - {call.good})), "other")
                        for given in (
                            {"state": state, "key": key, "good": other},
                            {"state": "q_0", "key": key},
                            {"state": state, "key": "other"},
                        ):
                            await refused(session, call, responses=answer(True), **given)
                    elif step == "again" and answered:
                        before, call = data.draw(st.sampled_from(answered), "which answer")
                        await refused(session, call, before, answer(True), key=key)
                    elif step == "late":  # another process: all that is open is asked again
                        answered += open_
                        break

    asyncio.run(use())
    assert Counter(store.orders) == +allowed
    assert sum(allowed.values()) <= asked_about
    assert store.names.count("buy") == len(store.orders)


@pytest.mark.parametrize("door", KEYS)
@settings(max_examples=8, deadline=None)
@given(turn=TURN, data=st.data())
def test_what_is_elicited_in_any_order_answers_the_call_that_waits_for_it(
    load_store: LoadStore, door: str, turn: list[Asked], data: st.DataObject
) -> None:
    """In the revisions before: the request of the call waits, and others with it."""
    catalog, store = load_store(), Store()
    allowed = Counter[int]()
    waiting: list[tuple[int, asyncio.Future[ElicitResult]]] = []

    async def asked(message: str, *_: Any) -> ElicitResult:
        found = re.search(r"arguments \| (\{.*?\})", message)
        assert found is not None
        future: asyncio.Future[ElicitResult] = asyncio.get_running_loop().create_future()
        waiting.append((json.loads(found[1])["id"], future))
        return await future

    async def use() -> list[Any]:
        async with connected(door, catalog, store, "legacy", asked) as session, asyncio.timeout(20):
            calls = [asyncio.create_task(made(session, call)) for call in turn]
            while not all(call.done() for call in calls):
                if not waiting:
                    await asyncio.sleep(0.001)
                    continue
                good, future = waiting.pop(data.draw(st.integers(0, 4), "which") % len(waiting))
                is_allowed = data.draw(st.booleans(), "is allowed")
                allowed[good] += is_allowed
                future.set_result(answer(is_allowed))
                await asyncio.sleep(0.002)
            return [await call for call in calls]

    results = asyncio.run(use())
    assert Counter(store.orders) == +allowed
    done = Counter(
        call.good for call, result in zip(turn, results, strict=True) if call.name == "buy" and not result.is_error
    )
    assert done == +allowed, "an answer is for the call that it was asked about"
    assert store.names.count("price") == sum(call.name == "price" for call in turn)
