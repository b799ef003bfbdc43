"""Pages of large args and results are bounded, and other pages are answered while they are made."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import shop
from toolgen.explore import ExploreSettings
from toolgen.explore.args_editor import edited
from toolgen.runtime.redact.call_secrets import hide_args

if TYPE_CHECKING:
    from collections.abc import Coroutine


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


@pytest.mark.parametrize(
    "work",
    ["screens.tool.edited", "screens.call._sent", "screens.call.result_data", "screens.runs._calls", "app._fields"],
)
def test_other_pages_are_answered_while_large_args_and_results_are_made(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, name = f"toolgen.explore.{work}".rpartition(".")
    begun, released = threading.Event(), threading.Event()
    real = getattr(__import__(module, fromlist=[name]), name)

    def held(*args: Any, **options: Any) -> Any:
        begun.set()
        assert released.wait(10), "the loop waits for it"
        return real(*args, **options)

    async def test() -> None:
        browser = await Browser(shop()).start()
        call = await browser.call("goods.find", {"word": "tea"})
        ended = await browser.until(call, "ended")
        monkeypatch.setattr(f"{module}.{name}", held)
        paths = {"screens.runs._calls": f"/runs/{ended['run']}", "screens.call.result_data": f"/calls/{call}"}
        made: dict[str, Any] = {"source": "json", "text": '{"word": "tea"}'}
        path = f"/tools/goods.find/{'calls' if work == 'screens.call._sent' else 'args'}"
        page = browser.get(paths[work]) if work in paths else browser.post(path, **made)
        waiting = asyncio.create_task(page)
        while not begun.is_set():
            await asyncio.sleep(0)
        try:
            await browser.get("/surface")
        finally:
            released.set()
        await waiting

    run(test())


def test_the_texts_of_a_page_have_one_bound() -> None:
    async def test() -> None:
        settings = ExploreSettings(shown_bytes=1_000)
        app = shop(settings=settings)
        browser = await Browser(app).start()
        session = app.runtime.start_run()
        for _ in range(40):
            await app.runtime.invoke(request({"text": "<" * 900}), run=session)
        await app.runtime.end_run(session)
        recorded = (await browser.get(f"/runs/{session.meta.run_id}"))["calls"]
        shown = sum(len(each["args"]) + len(each["value"]) + len(each["link"]) for each in recorded)
        assert 0.9 * 16_000 <= shown <= 16_000
        assert (recorded[0]["args_left_out"], recorded[-1]["args_left_out"], len(recorded)) == (0, 911, 40)
        page = await browser.page(f"/runs/{session.meta.run_id}")
        assert page.count("911 more characters are not shown.") > 20
        assert page.count("#args=") == sum(bool(each["link"]) for each in recorded) > 0

    run(test())


def request(args: Any) -> Any:
    from toolgen.contract.records import ToolRequest

    return ToolRequest(name="goods.echo", payload=json.dumps(args))


def test_the_latest_progress_is_shown_of_much() -> None:
    async def test() -> None:
        browser = await Browser(shop(settings=ExploreSettings(shown_bytes=10))).start()
        ended = await browser.until(await browser.call("goods.count", {"steps": 60}), "ended")
        assert ended["progress"][-1]["text"] == "60 of 60: "
        assert ended["progress"][0]["text"] == ""

    run(test())


def test_args_that_are_too_long_for_a_link_are_not_redacted_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = shop().runtime.catalog
    asked: list[Any] = []

    def hidden(args: Any, secrets: Any) -> Any:
        asked.append(args)
        return hide_args(args, secrets)

    monkeypatch.setattr("toolgen.explore.args_editor.hide_args", hidden)
    for length, is_linked in ((100, True), (40_000, False)):
        made = edited(catalog, "goods.echo", {"source": "json", "text": json.dumps({"text": "x" * length})})
        assert (bool(made.link), bool(asked)) == (is_linked, is_linked)
        asked.clear()


def test_args_between_the_bounds_of_a_link_and_of_a_text_are_shown_without_a_link() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        ended = await browser.until(await browser.call("goods.echo", {"text": "x" * 40_000}), "ended")
        assert (ended["args_left_out"], ended["link"]) == (0, "")
        assert "Call again" not in await browser.page(f"/calls/{ended['call']}")

    run(test())
