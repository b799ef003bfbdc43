"""What pages show where a store fails, or args are text that no page can have: never less than is known."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import shop
from toolgen.record import MemoryStore
from toolgen.runtime import Runtime
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from collections.abc import Coroutine


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


class Breaking(MemoryStore):
    """A store that cannot be read once it `is_broken`."""

    is_broken = False

    def _check(self) -> None:
        if self.is_broken:
            raise StoreError("the disk is gone")

    async def read(self, *args: Any) -> Any:
        self._check()
        return await super().read(*args)

    async def page(self, *args: Any, **options: Any) -> Any:
        self._check()
        return await super().page(*args, **options)

    async def latest_runs(self, *args: Any, **options: Any) -> Any:
        self._check()
        return await super().latest_runs(*args, **options)


@pytest.mark.parametrize("error", [StoreError("the disk is full"), RuntimeError("a bug"), asyncio.CancelledError()])
def test_a_call_ends_with_its_result_if_the_end_of_its_run_cannot_be_recorded(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def end_run(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Runtime, "end_run", end_run)

    async def test() -> None:
        browser = await Browser(shop()).start()
        async with asyncio.timeout(10):
            ended = await browser.until(await browser.call("goods.find", {"word": "tea"}), "ended")
        assert json.loads(ended["result"]["text"]) == [{"id": 1, "name": "tea pot"}]
        if isinstance(error, StoreError):
            assert ended["problem"] == "the end of the run is not on record: the disk is full"
            assert ended["problem"] in await browser.page(f"/calls/{ended['call']}")

    run(test())


def test_a_call_that_is_cut_off_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def invoke(*_: Any, **__: Any) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(Runtime, "invoke", invoke)

    async def test() -> None:
        browser = await Browser(shop()).start()
        async with asyncio.timeout(10):
            ended = await browser.until(await browser.call("goods.find", {"word": "tea"}), "ended")
        assert ended["state"] == "ended"
        assert not ended["result"]["success"]

    run(test())


def test_the_result_of_a_call_is_shown_without_its_record_and_other_pages_say_what_failed() -> None:
    async def test() -> None:
        store = Breaking()
        browser = await Browser(shop(store=store)).start()
        ended = await browser.until(await browser.call("goods.find", {"word": "tea"}), "ended")
        store.is_broken = True
        shown = await browser.get(f"/calls/{ended['call']}")
        assert (shown["result"], shown["stages"]) == (ended["result"], [])
        assert shown["problem"] == "the record cannot be read: the disk is gone"
        page = f"/runs/{ended['run']}"
        for path in ("/runs", page, f"{page}/summary", f"{page}/verified", f"{page}/replay", "/servers"):
            told = (await browser.get(path, status=500))["message"]
            assert told == "the store cannot be read: the disk is gone", path
            assert told in (await browser.http.get(path)).text

    run(test())


def test_half_of_a_surrogate_pair_is_shown_and_called_again() -> None:
    args = {"text": "\ud800", "\udfff": "x"}

    async def test() -> None:
        browser = await Browser(shop()).start()
        checked = await browser.post("/tools/goods.echo/args", source="json", text=json.dumps(args))
        assert json.loads(checked["editor"]["text"]) == args
        headers = {"HX-Request": "true", "X-CSRF-Token": browser.csrf}
        sent = {"source": "json", "text": json.dumps(args)}
        assert (await browser.http.post("/tools/goods.echo/args", data=sent, headers=headers)).status_code == 200
        ended = await browser.until(await browser.call("goods.echo", args), "ended")
        page = await browser.page(f"/calls/{ended['call']}")
        assert "#args=%7B%22text%22%3A%22%5Cud800%22" in page
        await browser.page(f"/runs/{ended['run']}")

    run(test())


def test_args_that_are_no_json_are_shown_and_called_again_as_they_were_typed() -> None:
    typed = '{"text": "typed for ten minutes",\n "more": '

    async def test() -> None:
        browser = await Browser(shop()).start()
        started = await browser.post("/tools/goods.echo/calls", source="json", text=typed)
        ended = await browser.until(started["call"], "ended")
        assert (ended["args"], ended["link"]) == (typed, typed)
        checked = await browser.post("/tools/goods.echo/args", source="json", text=ended["link"])
        assert checked["editor"]["text"] == typed
        # What may be a secret is no part of an address, and no text for a form either.
        started = await browser.post("/tools/goods.order/calls", source="json", text='{"pay": {"number": "4000')
        hidden = await browser.until(started["call"], "ended")
        assert (hidden["args"], hidden["link"]) == ("[redacted]", "")

    run(test())
