"""Saving of recorded calls: cases, examples and recordings in a real project, beside what people wrote there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.authoring.test_saving import QUESTION, built, data_of, project
from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import HOSTILE, shop
from tests.unit.explore.test_screens import ORDER
from toolgen.explore import ExploreSettings
from toolgen.record.memory import MemoryStore
from toolgen.runtime.policy.approvers import Approver
from toolgen.testing.recordings import recorded

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("forked_processes")

CARD = {"lines": [{"id": 1}], "pay": {"by": "card", "number": "4111-1111-secret"}}


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def made(browser: Browser, tool: str, args: Any, **view: str) -> str:
    """Make a call, allow it if it asks; return the path under which it is saved."""
    call = await browser.call(tool, args, **view)
    asked = await browser.until(call, "asking", "ended")
    if asked["question"]:
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="allow_once")
    ended = await browser.until(call, "ended")
    assert ended["may_save"]
    return f"/runs/{ended['run']}/calls/{ended['number']}/save"


async def saves(browser: Browser, path: str, **fields: Any) -> dict[str, Any]:
    """Save a call; return the answer without what it shows of the call."""
    answer = await browser.post(path, **fields)
    return {name: answer[name] for name in ("problem", "file", "line")}


def test_secrets_are_saved_nowhere(tmp_path: Path) -> None:
    async def test() -> None:
        folder = project(tmp_path)
        browser = await Browser(shop(project=folder)).start()
        path = await made(browser, "goods.order", CARD)
        assert (await saves(browser, path, kind="case", name="shop", key="k", question="Buy."))["problem"] == ""
        case = data_of((folder / "evals/shop.eval.yaml").read_text())["cases"]["k"]
        assert case["expect"] == [{"call": "goods.order", "args": {"lines": [{"id": 1}]}, "fields": {"pay": True}}]
        answer = await saves(browser, path, kind="example")
        assert answer["problem"] == "a value was redacted (/args/pay/number), and an example has values"
        assert (await saves(browser, path, kind="recording", name="calls"))["problem"] == ""
        (take,) = recorded(folder / "recordings" / "calls.jsonl").takes
        assert take.redacted == ("/pay/number",)
        for path in ("evals", "evals/shop.eval.yaml", "recordings", "recordings/calls.jsonl"):
            assert not (folder / path).stat().st_mode & 0o077, path
        texts = [each.read_bytes() for each in folder.rglob("*") if each.is_file()]
        assert not any(b"secret" in text.replace(b"secret_sale", b"") for text in texts)
        built(folder)

    run(test())


def test_saves_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    async def test() -> None:
        folder = project(tmp_path)
        browser = await Browser(shop(project=folder)).start()
        path = await made(browser, "goods.find", {"word": "tea"})
        every = [saves(browser, path, kind="case", name="shop", key=f"k{at}", question="Which?") for at in range(3)]
        assert [each["problem"] for each in await asyncio.gather(*every)] == ["", "", ""]
        cases = data_of((folder / "evals/shop.eval.yaml").read_text())["cases"]
        assert sorted(cases) == ["k0", "k1", "k2"]

    run(test())


def test_calls_are_saved_only_in_a_project_by_who_is_at_its_machine_and_may_change_it(tmp_path: Path) -> None:
    async def test() -> None:
        folder = project(tmp_path)
        store = MemoryStore()
        browser = await Browser(shop(store=store, project=folder)).start()
        path = await made(browser, "goods.find", {"word": "tea"}, user="ann")
        form = {"kind": "recording", "name": "calls"}
        assert path in await browser.page(path.partition("/calls")[0])
        stale = await browser.http.post(f"/api{path}", json=form, headers={"X-CSRF-Token": "no"})
        assert stale.status_code == 403
        await browser.get(path.replace("/calls/1/", "/calls/2/"), status=404)
        await browser.get(path.replace("/calls/1/", "/calls/x/"), status=404)
        read_only = ExploreSettings(read_only=True)
        people: dict[str, Any] = {"authenticate": lambda _request: Approver("ann", (), "web")}
        hosts: list[dict[str, Any]] = [
            {},
            {"project": folder, "settings": read_only},
            {"project": folder, **people},
        ]
        for options in hosts:
            other = Browser(shop(store=store, **options))
            await (other.opened() if "authenticate" in options else other.start())
            await other.get(path, status=404)
            await other.post(path, status=403 if "settings" in options else 404, **form)
            assert "/save" not in await other.page(path.partition("/calls")[0])
        bob = await Browser(
            shop(store=store, project=folder, authenticate=lambda _: Approver("bob", (), "web"))
        ).opened()
        await bob.get(path.partition("/calls")[0], status=404)
        await bob.post(path, status=404, **form)
        assert not (folder / "recordings").exists()

    run(test())


def test_a_denied_call_is_a_case_and_no_example(tmp_path: Path) -> None:
    async def test() -> None:
        folder = project(tmp_path)
        browser = await Browser(shop(project=folder)).start()
        call = await browser.call("goods.order", ORDER)
        asked = await browser.until(call, "asking")
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="deny")
        ended = await browser.until(call, "ended")
        path = f"/runs/{ended['run']}/calls/{ended['number']}/save"
        answer = await saves(browser, path, kind="case", name="shop", key="k", question="Order it.")
        assert answer["problem"] == ""
        assert "has failed" in (await saves(browser, path, kind="example"))["problem"]

    run(test())


def test_what_was_typed_stays_in_a_form_that_is_not_saved(tmp_path: Path) -> None:
    async def test() -> None:
        folder = project(tmp_path)
        browser = await Browser(shop(project=folder)).start()
        path = await made(browser, "goods.find", {"word": HOSTILE})
        assert (await browser.get(path))["key"] == "find"
        await browser.post(path, status=400, kind="other")
        fields = {"csrf": browser.csrf, "kind": "case", "name": "shop", "key": "a: b", "question": f"{HOSTILE} typed"}
        page = await browser.http.post(path, data=fields)
        assert "Not saved: evals/shop.eval.yaml:" in page.text
        assert "typed</textarea>" in page.text
        assert "<img src=x" not in page.text
        assert not (folder / "evals").exists()
        answer = await saves(browser, path, kind="case", name="shop", key="k", question=" ")
        assert "what a user asks" in answer["problem"]
        answer = await saves(browser, path, kind="case", name="shop", key="k", question=QUESTION)
        assert answer == {"problem": "", "file": "evals/shop.eval.yaml", "line": 4}
        large = await saves(browser, path, kind="case", name="shop", key="l", question="x" * 1_100_000)
        assert "more than 1,048,576" in large["problem"]

    run(test())
