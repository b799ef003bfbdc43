"""Links of pages: as whom a person looked, or a call was made, is kept."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.explore.browsing import ORIGIN, Browser
from tests.unit.explore.shop import shop
from tests.unit.record.sample import ended, result, started, write
from toolgen.explore import ExploreSettings
from toolgen.explore import __file__ as _explore
from toolgen.explore.links import part_of, segment
from toolgen.record import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Coroutine

TEMPLATES = Path(_explore).parent / "templates"


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def link(page: str, text: str) -> str:
    """Return the address of the link that reads so."""
    (found,) = re.findall(rf'<a [^>]*href="([^"]*)"[^>]*>{text}</a>', page)
    return unescape(found)


def view_of(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


def test_a_call_is_made_again_as_it_was_made() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        view = {"agent": "clerk", "user": "ana", "role": "sub", "mode": "closed"}
        headers = {"Origin": ORIGIN, "X-CSRF-Token": browser.csrf}
        made = await browser.http.post(
            "/tools/goods.find/calls", params=view, data={"source": "json", "text": '{"word": "tea"}'}, headers=headers
        )
        page_address = made.headers["location"]
        assert view_of(page_address) == view
        call = urlsplit(page_address).path.rpartition("/")[2]
        record = (await browser.until(call, "ended"))["run"]
        for address in (page_address, f"/calls/{call}"):  # the part of a page is fetched without its query
            page = await browser.page(address)
            assert (
                link(page, "Call again")
                == f"/tools/goods.find?{urlsplit(page_address).query}#args=%7B%22word%22%3A%22tea%22%7D"
            )
        assert view_of(link(await browser.page(page_address), "Models")) == view
        cancelled = await browser.http.post(f"/calls/{call}/cancel", data={}, headers=headers)
        assert view_of(cancelled.headers["location"]) == view
        # A record has the agent and the user.
        again = link(await browser.page(f"/runs/{record}"), "Fill the form with these args")
        assert view_of(again) == {"agent": "clerk", "user": "ana"}

    run(test())


def test_an_answer_leads_back_to_the_page_of_the_call() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        order = {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "Here 1"}}
        call = await browser.call("goods.order", order, agent="clerk")
        question = (await browser.until(call, "asking"))["question"]["id"]
        answered = await browser.post(f"/calls/{call}/answer", question=question, decision="deny")
        assert answered["location"] == f"/calls/{call}?agent=clerk"

    run(test())


def test_all_tools_and_no_user_are_chosen_where_the_explorer_starts_with_others() -> None:
    async def test() -> None:
        browser = await Browser(shop(settings=ExploreSettings(agent="clerk", user="ana"))).start()
        assert link(await browser.page("/surface"), "Models") == "/models"
        page = await browser.page("/surface?agent=&user=")
        assert link(page, "Models") == "/models?agent=&user="
        assert link(page, "goods.<wbr>big") == "/tools/goods.big?agent=&user="
        made = await browser.until(await browser.call("goods.big", {"bytes": 3}, agent="", user=""), "ended")
        assert (made["agent"], made["user"]) == ("", None)
        assert view_of(link(await browser.page(f"/calls/{made['call']}"), "Call again")) == {"agent": "", "user": ""}

    run(test())


ODD: Final = (
    *(
        "..",
        ".",
        "a/../b",
        "x/summary",
        "x/events",
        "events",
        "summary",
        "a/calls/1/save",
        "../surface",
        "a//b",
        "/a",
        "",
    ),
    *(
        "%2F",
        "%",
        "?q",
        "a#b",
        "tab\tx",
        "\u00a0x",
        " lead",
        "a\\b",
        "<b>",
        "~",
        "~2E",
        "a~",
        "\ud800",
        "\0",
        "...",
        "é",
    ),
)


@given(st.text(st.characters(codec=None)) | st.sampled_from(ODD))
def test_each_id_is_one_segment_of_a_path(identifier: str) -> None:
    found = segment(identifier)
    assert re.fullmatch(r"[A-Za-z0-9_:~-][A-Za-z0-9_.:~-]*", found)
    assert part_of(found) == identifier


def test_an_id_is_its_own_segment_if_it_is_plain() -> None:
    for identifier in ("run_0123456789abcdef", "shop.order.find", "build.0123", "a:b", "-x"):
        assert segment(identifier) == identifier
    for by_hand in ("a b", "~ff", "~FF", "a~"):
        assert part_of(by_hand) == by_hand


@pytest.mark.parametrize("run_id", [each for each in ODD if each not in ("", "\ud800", "\0")])
def test_each_run_has_its_own_pages(run_id: str) -> None:
    async def test() -> None:
        store = MemoryStore()
        browser = await Browser(shop(store=store)).start()
        await write(store, started("c1", run_id))
        store.finish(ended(call="c1", run=run_id), result("c1"))
        (listed,) = re.findall(r'<a id="link-[^"]*" href="([^"]*)"', await browser.page("/runs"))
        assert listed == f"/runs/{segment(run_id)}"
        for path in ("", "/summary", "/verified", "/replay"):
            assert (await browser.get(f"{listed}{path}"))["run"] == run_id
        (place,) = (await browser.get("/find", query=run_id))["places"][-1:]
        assert (place["name"], place["path"]) == (run_id, listed)
        page = await browser.page(listed)
        assert f'data-live="/events{listed}"' in page
        assert all(each.startswith(f"{listed}/") for each in re.findall(r'hx-get="(/runs/[^"]*)"', page))

    run(test())


def test_templates_write_no_address_themselves() -> None:
    written = [
        found
        for file in TEMPLATES.rglob("*.jinja")
        for found in re.findall(r'\{\{ root \}\}[^"]*', file.read_text(encoding="utf-8"))
    ]
    assert [each for each in written if each != "{{ root }}" and "/static/" not in each] == [
        "{{ root }}{{ each.path }}"
    ]
