"""Visitors of one explorer share what it has: whatever one of them does, another one finds some of it."""

from __future__ import annotations

import asyncio
from importlib import import_module
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.engines import until
from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import shop
from tests.unit.explore.test_security import known
from toolgen.explore import ExploreSettings
from toolgen.explore.aside import Aside
from toolgen.explore.visit import Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolgen.explore import Explorer


FIND = {"word": "tea"}


async def visitors(app: Explorer) -> tuple[Browser, Browser]:
    ana, bo = [Browser(app, headers={"x-user-token": f"t-{who}"}) for who in ("ana", "bo")]
    return await ana.opened(), await bo.opened()


async def ended(browser: Browser, tool: str = "goods.find", args: Any = FIND) -> str:
    call = await browser.call(tool, args)
    await browser.until(call, "ended")
    return call


async def kept_of(browser: Browser, calls: list[str]) -> list[str]:
    """Return those of the calls that are still shown."""
    return [call for call in calls if (await browser.http.get(f"/api/calls/{call}/result")).status_code == 200]


def test_a_call_that_has_ended_is_kept_while_another_visitor_has_more_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.calls._KEPT", 6)

    async def test() -> None:
        app = shop(authenticate=known)
        ana, bo = await visitors(app)
        of_ana = [await ended(ana)]
        of_bo = [await ended(bo) for _ in range(10)]
        assert await kept_of(ana, of_ana) == of_ana
        assert await kept_of(bo, of_bo) == of_bo[-5:]
        of_ana += [await ended(ana) for _ in range(10)]
        assert len(app.calls._calls) == 6
        assert await kept_of(ana, of_ana) == of_ana[-3:]
        assert await kept_of(bo, of_bo) == of_bo[-3:]
        await app.close()

    asyncio.run(test())


def test_large_results_are_forgotten_of_who_has_most_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.calls._KEPT_BYTES", 100_000)

    async def test() -> None:
        app = shop(authenticate=known)
        ana, bo = await visitors(app)
        of_ana = [await ended(ana)]
        of_bo = [await ended(bo, "goods.big", {"bytes": size}) for size in (30_000, 30_000, 30_000, 45_000)]
        assert await kept_of(bo, of_bo) == of_bo[2:]
        large = await bo.call("goods.big", {"bytes": 300_000})
        await until(lambda: large not in app.calls._calls)
        assert await kept_of(bo, of_bo) == []
        assert await kept_of(ana, of_ana) == of_ana
        await app.close()

    asyncio.run(test())


def test_bodies_that_come_slowly_leave_memory_to_other_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.app._BODIES", 2)

    async def test() -> None:
        app = shop(authenticate=known, settings=ExploreSettings(body_bytes=1_000))
        ana, bo = await visitors(app)
        total, rest = app._bodies.free, asyncio.Event()
        assert total == 2_000

        async def send(browser: Browser, *, slowly: bool = False) -> int:
            async def body() -> AsyncIterator[bytes]:
                yield b'{"source": "json", "text": "{}"' + b" " * 400
                if slowly:
                    await rest.wait()
                yield b"}"

            headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/json"}
            answer = await browser.http.post("/api/tools/goods.find/args", content=body(), headers=headers)
            return answer.status_code

        slow = [asyncio.create_task(send(bo, slowly=True)) for _ in range(20)]
        refused = await asyncio.gather(*(asyncio.wait_for(each, 60) for each in slow[2:]))
        assert refused == [429] * 18
        assert 0 < app._bodies.free < total - 800
        assert await send(bo) == 429
        assert await send(ana) == 200
        rest.set()
        assert await asyncio.gather(*slow[:2]) == [200] * 2
        assert app._bodies.free == total
        assert await send(bo) == 200

    asyncio.run(test())


def test_work_in_threads_and_what_waits_for_them_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.aside._WAITING", 6)

    async def test() -> None:
        aside, gate = Aside(), Event()
        begun: list[str] = []

        def work(who: str) -> str:
            begun.append(who)
            gate.wait(60)
            return who

        async def ask(who: str) -> Any:
            return await aside(who, work, who)

        of_bo = [asyncio.create_task(ask("bo")) for _ in range(5)]
        await until(lambda: len(begun) == 2 and aside._places._waiting.free == 3)
        with pytest.raises(Refused) as refused:
            await ask("bo")
        assert refused.value.status == 429
        of_ana = [asyncio.create_task(ask("ana")) for _ in range(2)]
        await until(lambda: len(begun) == 3)
        assert begun == ["bo", "bo", "ana"]
        gate.set()
        assert await asyncio.gather(*of_bo, *of_ana) == ["bo"] * 5 + ["ana"] * 2
        assert (aside._places._places.free, aside._places._waiting.free) == (3, 6)

    asyncio.run(test())


@pytest.mark.parametrize(
    ("work", "path"),
    [
        ("screens.models._measured", "/api/models"),
        ("screens.replay._rows", "/api/runs/{run}/replay"),
        ("screens.runs._calls", "/api/runs/{run}"),
        ("screens.call._shown_result", "/api/calls/{call}"),
    ],
)
def test_whatever_one_visitor_asks_for_another_one_is_answered(
    work: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work of each request of one visitor takes long; those are more requests than there are threads."""
    module, _, name = f"toolgen.explore.{work}".rpartition(".")
    real, begun, gate = getattr(import_module(module), name), list[str](), Event()

    def held(*args: Any) -> Any:
        begun.append(work)
        assert gate.wait(60)
        return real(*args)

    async def test() -> None:
        app = shop(authenticate=known)
        ana, bo = await visitors(app)
        call = await bo.call("goods.find", FIND)
        run = (await bo.until(call, "ended"))["run"]
        monkeypatch.setattr(f"{module}.{name}", held)
        asked = [asyncio.create_task(bo.http.get(path.format(run=run, call=call))) for _ in range(50)]
        try:
            await until(lambda: len(begun) == 2)
            await asyncio.wait_for(ana.post("/tools/goods.find/args", source="json", text="{}"), 60)
            assert len(begun) == 2
        finally:
            gate.set()
        assert {each.status_code for each in await asyncio.gather(*asked)} == {200}
        await app.close()

    asyncio.run(test())


def test_running_calls_are_shared_and_every_place_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls end in any way: by themselves, cancelled, denied, or refused; each gives its place back once."""
    monkeypatch.setattr("toolgen.explore.calls._RUNNING", 6)

    async def test() -> None:
        app = shop(authenticate=known)
        ana, bo = await visitors(app)
        of_bo = [await bo.call("goods.wait", {}) for _ in range(3)]
        for _ in range(5):
            refused = await bo.post("/tools/goods.wait/calls", status=429, source="json", text="{}")
            assert "wait until one has ended, or cancel one of yours" in refused["message"]
        of_ana = [await ana.call("goods.wait", {})]
        assert app.calls._running.free == 2
        for each, calls in ((bo, of_bo), (ana, of_ana)):
            for call in calls:
                await each.post(f"/calls/{call}/cancel")
                await each.until(call, "ended")
        assert app.calls._running.free == 6
        for tool, args in (("goods.find", FIND), ("goods.find", {}), ("goods.big", {"bytes": "x"})):
            await ended(bo, tool, args)
            assert app.calls._running.free == 6
        asking = await bo.call("goods.order", {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "x"}})
        question = (await bo.until(asking, "asking"))["question"]
        assert app.calls._running.free == 5
        await bo.post(f"/calls/{asking}/answer", question=question["id"], decision="deny")
        await bo.until(asking, "ended")
        assert app.calls._running.free == 6
        last = await bo.call("goods.wait", {})
        await app.close()
        assert (app.calls._running.free, app.calls._calls[last].state) == (6, "ended")

    asyncio.run(test())
