"""Shares: what one user takes leaves some to the others, and no place is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.unit.serve.test_app import client_of, user_of
from toolgen.runtime import Catalog, Runtime, ToolCallMeta, allow_all
from toolgen.runtime.base.shares import Places, Shares, ShareUsedUp, place_left
from toolgen.serve import HttpSettings, mcp_server
from toolgen.serve.bounds import CALLS
from toolgen.serve.http import REQUESTS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

USERS = ("ana", "bo", "cy")


@settings(max_examples=200, deadline=None)
@given(
    total=st.integers(0, 40),
    steps=st.lists(st.tuples(st.sampled_from(USERS), st.integers(0, 12), st.booleans()), max_size=60),
)
def test_nobody_takes_more_than_what_is_left(total: int, steps: list[tuple[str, int, bool]]) -> None:
    shares, held = Shares(total), Counter[str]()
    for who, amount, gives in steps:
        if gives:
            back = min(amount, held[who])
            shares.give_back(who, back)
            held[who] -= back
        else:
            fits = amount == 0 or held[who] + amount <= total - held.total()
            assert shares.take(who, amount) is fits
            held[who] += amount * fits
        assert shares.free == total - held.total() >= 0
    if total and not held["cy"] and held.total() < total:
        assert shares.take("cy")


@pytest.mark.parametrize("users", [1, 2, 3, 5])
def test_those_who_take_all_they_can_have_equal_shares_and_leave_one(users: int) -> None:
    shares, held = Shares(1_000), Counter[int]()
    for _ in range(1_000):
        for who in range(users):
            held[who] += shares.take(who)
    assert max(held.values()) - min(held.values()) <= 1
    assert shares.free >= 1_000 // (users + 1)


@settings(max_examples=100, deadline=None)
@given(
    total=st.integers(1, 6),
    waiting=st.integers(0, 20),
    calls=st.lists(st.tuples(st.sampled_from(USERS), st.integers(0, 3), st.integers(-1, 4)), max_size=25),
)
def test_every_place_comes_back_whatever_is_cancelled(
    total: int, waiting: int, calls: list[tuple[str, int, int]]
) -> None:
    async def main() -> None:
        places, running, most = Places(total, waiting), Counter[str](), [0]

        async def one(who: str, length: int) -> None:
            async with places.held(who):
                running[who] += 1
                most[0] = max(most[0], running.total())
                try:
                    for _ in range(length):
                        await asyncio.sleep(0)
                finally:
                    running[who] -= 1

        tasks: list[asyncio.Task[None]] = []
        for who, length, cancelled in calls:
            tasks.append(asyncio.create_task(one(who, length)))
            await asyncio.sleep(0)
            if 0 <= cancelled < len(tasks) and running.total() < len(tasks):
                tasks[-1 - cancelled].cancel()
        async with asyncio.timeout(10):
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(each is None or isinstance(each, asyncio.CancelledError | ShareUsedUp) for each in outcomes)
        assert most[0] <= total
        for _ in range(2 * total):
            async with places.held("new"):
                pass

    asyncio.run(main())


class Stop(Exception):
    """What a question may end with."""


@settings(max_examples=200, deadline=None)
@given(
    total=st.integers(1, 3),
    calls=st.lists(
        st.tuples(
            st.sampled_from(USERS),
            st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=3),  # questions at once: turns, raises
            st.integers(-1, 8),  # cancelled after so many turns
        ),
        max_size=12,
    ),
)
def test_what_waits_for_a_person_has_no_place_and_every_place_comes_back(
    total: int, calls: list[tuple[str, list[tuple[int, bool]], int]]
) -> None:
    async def main() -> None:
        places, running = Places(total, 100), set[asyncio.Task[Any]]()

        async def question(turns: int, raises: bool) -> None:
            async with place_left():
                for _ in range(turns):
                    await asyncio.sleep(0)
                if raises:
                    raise Stop

        async def one(who: str, questions: list[tuple[int, bool]]) -> None:
            this: Any = asyncio.current_task()
            async with places.held(who):
                running.add(this)
                assert len(running) <= total
                running.discard(this)  # while a question is open
                await asyncio.gather(*(question(*each) for each in questions), return_exceptions=True)
                running.add(this)
                assert len(running) <= total
                try:
                    await asyncio.sleep(0)
                finally:
                    running.discard(this)

        async def cancelled(task: asyncio.Task[None], turns: int) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()

        tasks = [asyncio.create_task(one(who, questions)) for who, questions, _ in calls]
        ends = [cancelled(task, turns) for task, (_, _, turns) in zip(tasks, calls, strict=True) if turns >= 0]
        async with asyncio.timeout(1):
            await asyncio.gather(*ends)
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(each is None or isinstance(each, asyncio.CancelledError) for each in outcomes)
        assert places._places.free == total

    asyncio.run(main())


def test_an_open_question_leaves_its_place_to_another_call() -> None:
    async def main() -> None:
        places, answered, asked = Places(2, 100), asyncio.Event(), asyncio.Event()

        async def asks() -> str:
            async with places.held("ana"):
                async with place_left():
                    asked.set()
                    await answered.wait()
                return "answered"

        task = asyncio.create_task(asks())
        await asked.wait()
        async with asyncio.timeout(10), places.held("ana"):  # of two places, ana has one
            answered.set()
            for _ in range(5):
                await asyncio.sleep(0)
            assert not task.done()  # it waits for a place again
        assert await task == "answered"

    asyncio.run(main())


def test_queues_take_turns() -> None:
    async def main() -> list[str]:
        places, order, gate = Places(2, 100), list[str](), asyncio.Event()

        async def one(who: str) -> None:
            async with places.held(who):
                order.append(who)
                await gate.wait()

        tasks = [asyncio.create_task(one(who)) for who in ["ana"] * 6 + ["bo"] * 2 + ["cy"]]
        for _ in range(5):
            await asyncio.sleep(0)
        assert order == ["ana", "bo"]  # ana's second call would leave nothing to others
        gate.set()
        await asyncio.gather(*tasks)
        return order

    order = asyncio.run(main())
    assert sorted(order[2:5]) == ["ana", "bo", "cy"]


def server_of_long_calls() -> tuple[Any, Counter[str], asyncio.Event]:
    catalog, running, gate = Catalog(), Counter[str](), asyncio.Event()

    @catalog.tool("host.long", permission="readonly", input_schema={"type": "object"})
    async def long(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Wait until the test ends it."""
        running[str(meta.user)] += 1
        await gate.wait()
        return "done"

    @catalog.tool("host.short", permission="readonly", input_schema={"type": "object"})
    async def short(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Return at once."""
        return str(meta.user)

    runtime = Runtime(catalog, permission=allow_all)
    return mcp_server(runtime, runtime.start_run(), http=HttpSettings(authenticate=user_of)), running, gate


@asynccontextmanager
async def two_users() -> AsyncIterator[tuple[Client, Client, Counter[str], asyncio.Event]]:
    """Give two connected clients of a server, the calls of `long` by user, and what ends these."""
    app, running, gate = server_of_long_calls()

    def client(user: str) -> Client:
        http = client_of(app, f"user-{user}")
        return Client(streamable_http_client("http://localhost/mcp", http_client=http))

    async with client("ana") as ana, client("bo") as bo:
        await ana.list_tools()
        await bo.list_tools()
        yield ana, bo, running, gate
    await app.close()


@pytest.mark.long
def test_one_user_with_950_long_calls_leaves_places_to_the_others() -> None:
    async def main() -> None:
        async with two_users() as (ana, bo, running, gate):
            calls = [asyncio.create_task(ana.call_tool("host__long", {})) for _ in range(950)]
            while sum(call.done() for call in calls) < 950 - REQUESTS // 2 or running["ana"] < CALLS // 2:
                await asyncio.sleep(0.01)
            refused = [call for call in calls if call.done()]
            assert all(isinstance(call.exception(), MCPError) for call in refused)
            for _ in range(50):
                answer = await bo.call_tool("host__short", {})
                assert answer.structured_content == {"result": "bo"} or "bo" in str(answer.content)
            assert running["ana"] == CALLS // 2
            gate.set()
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert sum(isinstance(each, MCPError) for each in done) == len(refused)
            assert len(refused) < 950

    asyncio.run(main())


def test_one_user_with_large_bodies_leaves_memory_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.serve.http._BODIES", 1_000_000)

    async def main() -> None:
        async with two_users() as (ana, bo, running, gate):
            calls = [asyncio.create_task(ana.call_tool("host__long", {"x": "x" * 100_000})) for _ in range(12)]
            while sum(call.done() for call in calls) < 7:
                await asyncio.sleep(0.01)
            await bo.call_tool("host__short", {"x": "x" * 100_000})
            assert running["ana"] == 5
            gate.set()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(main())
