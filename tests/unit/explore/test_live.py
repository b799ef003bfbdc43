"""Live lists: pages are told that they have changed, seldom, and only of what their visitor may see."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import tracemalloc
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from tests.later import later
from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import shop
from tests.unit.explore.test_screens import ORDER
from tests.unit.record.sample import done, ended, one_call, result, started
from toolgen.explore.live import Watchers, changes
from toolgen.explore.visit import Refused
from toolgen.record import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine
    from pathlib import Path

    from toolgen.explore import Explorer


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


class Stream:
    """A page that is told of changes, as an ASGI client that stays until it is closed."""

    def __init__(self, app: Explorer, path: str, browser: Browser) -> None:
        self.events: list[str] = []
        self.heard = asyncio.Event()
        self._left = asyncio.Event()
        cookie = "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8000"), (b"cookie", cookie.encode())],
        }
        self._task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        for line in message.get("body", b"").decode().splitlines():
            if line.startswith("data:"):
                told = json.loads(line.removeprefix("data:"))
                self.events.append(told["versions"][0] if "versions" in told else str(told["version"]))
                self.heard.set()

    async def next(self) -> str:
        """Wait for the next event, and return its version."""
        async with asyncio.timeout(60):
            await self.heard.wait()
        self.heard.clear()
        return self.events[-1]

    async def until(self, version: str) -> None:
        """Wait for the event of a version."""
        while version not in self.events:
            await self.next()

    async def close(self) -> None:
        self._left.set()
        await self._task


async def version(browser: Browser, path: str) -> str:
    """Return the version that a page shows now."""
    found = re.search(r'data-version="(\w+)"', await browser.page(path))
    assert found
    return found[1]


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.live._SECONDS", 0.0)
    monkeypatch.setattr("toolgen.explore.live._SHARE", 0)


@pytest.mark.usefixtures("fast")
def test_lists_and_a_run_are_told_of_what_happens(tmp_path: Path) -> None:
    async def test() -> None:
        store = SqliteStore(tmp_path / "record.db")
        app = shop(store=store)
        browser = await Browser(app).start()
        await one_call(store)
        streams = {path: Stream(app, f"/events{path}", browser) for path in ("/runs", "/inbox", "/runs/r1")}
        for path, stream in streams.items():
            await stream.until(await version(browser, path))
        await one_call(store, "c2")
        for path in ("/runs", "/runs/r1"):
            await streams[path].until(await version(browser, path))
        assert len(streams["/inbox"].events) == 1
        told = len(streams["/runs/r1"].events)
        await browser.until(await browser.call("goods.order", ORDER), "asking")
        for path in ("/runs", "/inbox"):
            await streams[path].until(await version(browser, path))
        assert len(streams["/runs/r1"].events) == told
        for stream in streams.values():
            await stream.close()
        assert not app._watchers._open
        await app.close()
        await store.close()

    run(test())


def test_a_page_gets_one_event_a_second_at_most_and_waits_longer_where_looking_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    now = [0.0]

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def look() -> tuple[str, ...]:
        if len(waits) == 4:
            raise Refused(401, "gone")
        now[0] += (0.0, 0.5, 0.01)[len(waits) - 1]
        return (str(len(waits)),)

    monkeypatch.setattr("toolgen.explore.live.asyncio.sleep", sleep)
    monkeypatch.setattr("toolgen.explore.live.time.monotonic", lambda: now[0])

    async def test() -> None:
        watchers = Watchers()
        events = [each async for each in watchers.told("ana", changes(("0",), look))]
        assert [each.get("event") for each in events] == ["change"] * 4 + [None]
        assert waits == [1.0, 1.0, 5.0, 1.0]
        assert not watchers._open

    run(test())


@pytest.mark.usefixtures("fast")
def test_so_many_pages_of_a_visitor_are_told_and_another_one_is_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.live._WATCHED", 2)

    async def look() -> tuple[str, ...]:
        return ("1",)

    async def test() -> None:
        watchers = Watchers()
        async with (
            aclosing(watchers.told("ana", changes(("1",), look))) as first,
            aclosing(watchers.told("ana", changes(("1",), look))) as second,
        ):
            await anext(first)
            await anext(second)
            assert [each async for each in watchers.told("ana", changes(("1",), look))] == [{"retry": 60_000}]
            async with aclosing(watchers.told("bo", changes(("1",), look))) as other:
                assert (await anext(other))["event"] == "change"
        async with aclosing(watchers.told("ana", changes(("1",), look))) as again:
            assert (await anext(again))["event"] == "change"

    run(test())


def test_the_pages_of_calls_are_among_those_that_a_visitor_may_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.live._WATCHED", 3)

    async def test() -> None:
        app = shop()
        browser = await Browser(app).start()
        call = await browser.call("goods.wait", {})
        paths = [f"/calls/{call}/events", f"/calls/{call}/events", "/events/inbox"]
        streams = [Stream(app, path, browser) for path in paths]
        for stream in streams:
            await stream.next()
        for path in paths[1:]:
            one_too_many = Stream(app, path, browser)
            async with asyncio.timeout(60):
                await one_too_many._task
            assert one_too_many.events == []
        await streams[0].close()
        for path in paths[1:]:
            again = Stream(app, path, browser)
            await again.next()
            await again.close()
        for stream in streams[1:]:
            await stream.close()
        assert not app._watchers._open
        await app.close()

    run(test())


@pytest.mark.usefixtures("fast")
def test_a_page_is_told_nothing_once_its_visitor_may_not_look() -> None:
    async def test() -> None:
        app = shop()
        browser = await Browser(app).start()
        for path in ("/events/runs", "/events/inbox"):
            assert (await browser.http.get(path, headers={"Cookie": "x=y"})).status_code == 401
        stream = Stream(app, "/events/runs", browser)
        await stream.next()
        app._cookie = "another"
        async with asyncio.timeout(60):
            await stream._task
        assert len(stream.events) == 1

    run(test())


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("count", [3_000, *later([10_000])])
@pytest.mark.long
def test_events_leave_the_memory_of_live_pages_flat(tmp_path: Path, count: int) -> None:
    async def test() -> None:
        store = SqliteStore(tmp_path / "record.db")
        app = shop(store=store)
        browser = await Browser(app).start()
        await one_call(store)
        streams = [Stream(app, path, browser) for path in ("/events/runs", "/events/inbox")]
        only = tracemalloc.Filter(inclusive=True, filename_pattern="*/toolgen/explore/*")

        async def events(count: int) -> int:
            for batch in range(count // 500):
                writes: list[Awaitable[None]] = []
                for number in range(250):
                    call = f"{count}-{batch}-{number}"
                    writes += [store.append(started(call)), store.finish(ended(call=call), result(call))]
                await asyncio.gather(*writes)
                await streams[0].next()
            for stream in streams:
                stream.events.clear()
            gc.collect()
            return sum(each.size for each in tracemalloc.take_snapshot().filter_traces([only]).statistics("filename"))

        tracemalloc.start()
        try:
            before = await events(1_000)
            after = await events(count)
        finally:
            tracemalloc.stop()
        assert (await browser.get("/runs"))["runs"][0]["events"] == count + 1_002
        assert after - before < 2 * count
        for stream in streams:
            await stream.close()
        await done(store.close())

    run(test())
