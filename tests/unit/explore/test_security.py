"""Attacks: foreign names and pages, forms of others, hostile texts, other people's calls and runs, large results."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sqlite3
from contextlib import closing, suppress
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener

import httpx
import pytest

from tests.project.checkout import ROOT
from tests.unit.explore.browsing import ORIGIN, Browser
from tests.unit.explore.shop import HOSTILE, Goods, catalog, shop
from tests.unit.record.sample import write
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.explore import ExploreSettings
from toolgen.explore.table import ROWS, openapi
from toolgen.record import MemoryStore, SqliteStore
from toolgen.record.sqlite import SqliteReader
from toolgen.runtime import Approver, EventKind, NewEvent
from toolgen.runtime.base.received import REQUEST_VALUES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from pathlib import Path

    from starlette.requests import Request

PAGES = ("/surface", "/tools/goods.echo", "/tools/goods.order", "/models", "/runs", "/inbox", "/servers")


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "",
        "localhost@evil",
        "localhost:1@evil",
        "localhost:evil.example",
    ],
)
def test_a_name_that_was_made_to_lead_here_is_refused(host: str) -> None:
    """DNS rebinding: the page of another site reaches loopback under its own name, with its own cookies."""

    async def test() -> None:
        browser = await Browser(shop()).start()
        for path in ("/surface", "/api/surface", "/static/explore.js", browser.app.start_path):
            assert (await browser.http.get(path, headers={"Host": host})).status_code == 421

    run(test())


def test_hosts_have_the_names_that_they_are_told() -> None:
    async def test() -> None:
        app = shop(settings=ExploreSettings(hosts=("tools.example.com",)))
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://tools.example.com:8443")
        assert (await http.get(app.start_path)).status_code == 200
        assert (await http.get("/surface", headers={"Host": "127.0.0.1"})).status_code == 421

    run(test())
    with pytest.raises(ValueError, match="is not a host name"):
        ExploreSettings(hosts=("https://tools.example.com/",))


def test_without_the_token_of_this_start_nothing_is_shown() -> None:
    async def test() -> None:
        app = shop()
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN)
        for row in ROWS:
            path = re.sub(r"\{(\w+)(:path)?\}", "goods.find", row.path)
            for prefix in ("", "/api"):
                answer = await http.request(row.method, prefix + path)
                assert answer.status_code == 401, path
        assert (await http.get("/calls/c/events")).status_code == 401
        assert (await http.get("/start?token=guess")).status_code == 403
        http.cookies.set(app._cookie, app.token)
        assert (await http.get("/api/surface")).status_code == 401

    run(test())


def test_the_cookie_is_for_this_site_and_no_script_and_no_other_explorer() -> None:
    async def test() -> None:
        app, other = shop(), shop()
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN)
        given = (await http.get(app.start_path)).headers["set-cookie"]
        assert "HttpOnly" in given
        assert "SameSite=strict" in given
        assert "Path=/;" in given
        assert app.token not in given
        assert app._cookie != other._cookie
        assert (await http.get("/api/surface")).status_code == 200

    run(test())


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_foreign_page_changes_nothing(headers: dict[str, str]) -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        answer = await browser.http.post(
            "/tools/goods.find/calls",
            data={"csrf": browser.csrf, "source": "json", "text": '{"word": "tea"}'},
            headers=headers,
        )
        assert answer.status_code == 403
        assert browser.app.calls._calls == {}

    run(test())


def test_a_form_needs_the_token_of_its_page() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        fields = {"source": "json", "text": '{"word": "tea"}'}
        for row in ROWS:
            if row.method == "POST":
                path = re.sub(r"\{(\w+)(:path)?\}", "goods.find", row.path)
                for token in ({}, {"csrf": "x"}, {"csrf": browser.app.token}):
                    answer = await browser.http.post(path, data={**fields, **token})
                    assert answer.status_code == 403, path
        assert browser.app.calls._calls == {}
        sent = await browser.http.post("/tools/goods.find/calls", data={**fields, "csrf": browser.csrf})
        assert sent.status_code == 303
        assert sent.headers["location"].startswith("/calls/")

    run(test())


def test_nothing_runs_on_a_get() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        for row in ROWS:
            path = re.sub(r"\{(\w+)(:path)?\}", "goods.find", row.path)
            for prefix in ("", "/api"):
                await browser.http.get(
                    f"{prefix}{path}?text=%7B%22word%22:%22tea%22%7D&source=json&csrf={browser.csrf}"
                )
        assert goods.calls == []
        assert browser.app.calls._calls == {}
        assert all(row.method == "POST" for row in ROWS if row.changes)

    run(test())


def test_a_read_only_explorer_checks_args_and_changes_nothing() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods, settings=ExploreSettings(read_only=True))).start()
        args: dict[str, Any] = {"source": "json", "text": '{"word": "tea"}'}
        assert (await browser.post("/tools/goods.find/args", **args))["editor"]["is_valid"]
        for row in ROWS:
            if row.changes:
                path = re.sub(r"\{(\w+)(:path)?\}", "goods.find", row.path)
                assert "only reads" in (await browser.post(path, status=403, **args))["message"]
        assert goods.calls == []
        assert '<button class="main">Call' not in await browser.page("/tools/goods.find")

    run(test())


class Scripts(HTMLParser):
    """Collects what could run on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [f"{tag} {name}" for name in given if name.startswith(("on", "hx-on")) or name == "style"]
        if tag in ("img", "iframe", "object", "embed", "style", "base"):
            self.found.append(tag)
        if tag == "script" and not str(given.get("src", "")).startswith("/static/"):
            self.found.append("script")
        if str(given.get("href", "")).lower().startswith(("javascript:", "data:")):
            self.found.append("href")


def test_hostile_texts_are_text_on_every_page_and_every_answer_forbids_scripts() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        call = await browser.call("goods.echo", {"text": HOSTILE}, user=HOSTILE)
        ended = await browser.until(call, "ended")
        assert json.loads(ended["result"]["text"]) == HOSTILE
        refused = await browser.until(await browser.call("goods.order", {HOSTILE: HOSTILE}), "ended")
        run_pages = [f"/runs/{each['run']}{end}" for each in (ended, refused) for end in ("", "/replay")]
        calls = [f"/calls/{call}", f"/calls/{refused['call']}", "/surface?show=missing", "/surface?query=%3Cscript%3E"]
        filters = [f"/runs?tool={HOSTILE}", f"/surface?query={HOSTILE}", f"/surface?agent={HOSTILE}", f"/{HOSTILE}"]
        for path in (*PAGES, *run_pages, *calls, *filters):
            page = await browser.http.get(path)
            scripts = Scripts()
            scripts.feed(page.text if "html" in page.headers["content-type"] else "")
            assert scripts.found == [], path
            policy = page.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert "default-src 'none'" in policy
            assert page.headers["x-frame-options"] == "DENY"
            assert page.headers["x-content-type-options"] == "nosniff"
            assert page.headers["cache-control"] == "no-store"
        echo = await browser.page("/tools/goods.echo")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in echo
        assert "{{ 7 * 7 }}" in echo
        assert "\u202e" not in echo

    run(test())


@pytest.mark.long
def test_a_result_of_ten_megabytes_is_shown_in_part_and_downloaded_whole() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        ended = await browser.until(await browser.call("goods.big", {"bytes": 10_000_000}), "ended")
        shown = [ended["result"]["text"], *(each["text"] for each in ended["result"]["content"])]
        assert max(map(len, shown)) <= ExploreSettings().shown_bytes
        page = await browser.page(f"/calls/{ended['call']}")
        assert len(page) < 1_000_000
        whole = (await browser.http.get(f"/api/calls/{ended['call']}/result")).json()["result"]
        assert len(str(whole["value"])) + ended["result"]["left_out"] > 60_000
        record = await browser.page(f"/runs/{ended['run']}")
        assert len(record) < 1_000_000

    run(test())


def test_a_request_that_is_too_large_is_refused_also_without_its_length() -> None:
    async def test() -> None:
        browser = await Browser(shop(settings=ExploreSettings(body_bytes=1000))).start()
        headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/json"}
        large = json.dumps({"source": "json", "text": "x" * 2000}).encode()
        assert (await browser.http.post("/tools/goods.find/args", content=large, headers=headers)).status_code == 413

        async def pieces() -> AsyncIterator[bytes]:
            for at in range(0, len(large), 100):
                yield large[at : at + 100]

        answer = await browser.http.post("/tools/goods.find/args", content=pieces(), headers=headers)
        assert answer.status_code == 413

    run(test())


def test_a_request_that_costs_too_much_is_refused() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/json"}
        for costly in (b'{"a":[%s1]}' % (b"1," * REQUEST_VALUES), b'{"a":' * 201 + b"1" + b"}" * 201):
            answer = await browser.http.post("/tools/goods.find/args", content=costly, headers=headers)
            assert answer.status_code == 413, answer.text
        answer = await browser.http.post("/tools/goods.find/args", content=b'{"text":"1","text":"2"}', headers=headers)
        assert (answer.status_code, "`text` is there twice" in answer.text) == (400, True)

    run(test())


DIGITS = ("9" * 9, "9" * 16, "9" * 5_000, "\u0661", "²", "-1", "1e400", "", "x")


@pytest.mark.parametrize("digits", DIGITS)
def test_a_number_or_an_index_that_cannot_be_read_is_refused_or_none(digits: str) -> None:
    """Python refuses to read thousands of digits, and reads digits of other scripts, of which some are no numbers."""

    async def test() -> None:
        app = shop()
        browser = await Browser(app).start()
        call = await browser.call("goods.find", {"word": "tea"})
        run_id = (await browser.until(call, "ended"))["run"]
        base = json.dumps({"lines": [{"id": 1}], "notes": {"a": "b"}})
        statuses: dict[str, int] = {}
        for at in (f"/{digits}", f"/lines/{digits}", f"/lines/{digits}/id", f"/lines/0/{digits}", "/pay", "/lines/0"):
            for action in ("add", "remove", "choose"):
                fields = {
                    "base": base,
                    "action": action,
                    "at": at,
                    f"c:{at}": digits,
                    f"k:{at}": digits,
                    f"v:{at}": "1",
                }
                for path in ("/api/tools/goods.order/args", "/tools/goods.order/args"):
                    answer = await browser.http.post(path, json=fields, headers={"X-CSRF-Token": browser.csrf})
                    statuses[f"{path} {action} {at[:30]}"] = answer.status_code
        for path in (f"/calls/{call}/media/{digits}", f"/runs/{run_id}/calls/{digits}/save"):
            statuses[path[:80]] = (await browser.http.get(path)).status_code
        for path in ("/runs", f"/runs/{run_id}", "/surface", "/inbox"):
            statuses[path] = (await browser.http.get(path, params={"page": digits})).status_code
        assert {path: status for path, status in statuses.items() if status >= 500} == {}
        length = digits.encode("latin-1", "replace")
        headers = [(b"X-CSRF-Token", browser.csrf.encode()), (b"Content-Length", length)]
        sent = await browser.http.post("/api/tools/goods.find/args", content=b"{}", headers=headers)
        assert sent.status_code in (413, 415)

    run(test())


PEOPLE = {"t-ana": Approver("ana", ("sales",)), "t-bo": Approver("bo")}


def known(request: Request) -> Approver | None:
    return PEOPLE.get(request.headers.get("x-user-token", ""))


def test_people_see_their_own_calls_and_runs_only() -> None:
    async def test() -> None:
        goods = Goods()
        app = shop(goods, authenticate=known, settings=ExploreSettings(agent="clerk"))
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
        assert (await Browser(app).http.get("/surface")).status_code == 401
        call = await ana.call("goods.find", {"word": "tea"}, user="bo", agent="", role="main", mode="")
        ended = await ana.until(call, "ended")
        assert goods.calls[0][1].user == "ana"
        assert goods.calls[0][1].agent_role == "main"
        for path in (
            f"/calls/{call}",
            f"/calls/{call}/result",
            f"/runs/{ended['run']}",
            f"/runs/{ended['run']}/replay",
        ):
            await ana.get(path)
            assert "there is no such" in (await bo.get(path, status=404))["message"]
        assert (await bo.http.get(f"/calls/{call}/events")).status_code == 404
        assert (await ana.get("/runs"))["found"] == 1
        assert (await bo.get("/runs"))["found"] == 0
        assert (await bo.get("/runs", by_user="ana"))["found"] == 0
        asking = await ana.call("goods.order", {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "x"}})
        question = (await ana.until(asking, "asking"))["question"]
        answer = {"question": question["id"], "decision": "allow_once"}
        await bo.post(f"/calls/{asking}/answer", status=404, **answer)
        await bo.post(f"/calls/{asking}/cancel", status=404)
        assert (await bo.get("/inbox"))["questions"] == []
        forged = await bo.http.post(f"/calls/{asking}/answer", data={**answer, "csrf": ana.csrf})
        assert forged.status_code == 403
        await ana.post(f"/calls/{asking}/answer", **answer)
        assert (await ana.until(asking, "ended"))["result"]["success"]

    run(test())


def test_a_tool_cannot_show_a_run_to_others_or_say_what_was_decided_by_what_it_reports() -> None:
    """A report of a call names another user, an agent and a permission; only events of the runtime are believed."""

    async def test() -> None:
        store = MemoryStore()
        said = {"user": "ana", "agent": "main", "permission": {"reason": "allowed by ana"}, "args": {"word": "forged"}}
        for run_id, data in (("of-nobody", {}), ("of-bo", {"user": "bo", "agent": "clerk"})):
            store.append(NewEvent(EventKind.TOOL_STARTED, run_id, "goods.find", "c1", data))
            store.append(NewEvent("note", run_id, "goods.find", "c1", said))
        app = shop(store=store, authenticate=known, settings=ExploreSettings(agent="clerk"))
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
        assert (await ana.get("/runs"))["found"] == 0
        for run_id in ("of-nobody", "of-bo"):
            for path in (f"/runs/{run_id}", f"/runs/{run_id}/summary", f"/runs/{run_id}/replay"):
                await ana.get(path, status=404)
        assert [each["run"] for each in (await bo.get("/runs"))["runs"]] == ["of-bo"]
        assert (await bo.get("/runs/of-bo/summary"))["agents"] == ["clerk"]
        (call,) = (await bo.get("/runs/of-bo"))["calls"]
        assert (call["asked"], call["args"]) == (None, "")

    run(test())


def runs_of(file: Path, **users: str) -> None:
    """Write runs, each of a user, with one call whose args have their name."""

    async def written() -> None:
        store = SqliteStore(file)
        for run_id, user in users.items():
            said = {"user": user, "agent": "clerk", "args": {"word": f"word of {user}"}}
            await write(store, NewEvent(EventKind.TOOL_STARTED, run_id, "goods.find", "c1", said))
        await store.close()

    asyncio.run(written())


def changed(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_run_with_the_id_of_a_deleted_one_is_not_shown_to_its_user(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    runs_of(file, job="ana")

    async def test() -> None:
        app = shop(store=SqliteReader(file), authenticate=known, settings=ExploreSettings(agent="clerk"))
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        assert "word of ana" in json.dumps(await ana.get("/runs/job"))
        changed(file, "DELETE FROM events", "DELETE FROM results", "DELETE FROM runs")
        await asyncio.to_thread(runs_of, file, job="bo")
        for path in ("/runs/job", "/runs/job/summary", "/runs/job/replay"):
            await ana.get(path, status=404)
        assert (await ana.get("/runs"))["found"] == 0

    run(test())


def test_a_damaged_run_hides_no_other_and_is_named_to_whoever_sees_all(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    runs_of(file, fine="ana", torn="bo", other="ana")
    changed(file, "UPDATE events SET body = 'x' WHERE run_id = 'torn'")

    async def test() -> None:
        settings = ExploreSettings(agent="clerk")
        ana = await Browser(
            shop(store=SqliteReader(file), authenticate=known, settings=settings), headers={"x-user-token": "t-ana"}
        ).opened()
        listed = await ana.get("/runs")
        assert ({each["run"] for each in listed["runs"]}, listed["damaged"]) == ({"fine", "other"}, [])
        here = await Browser(shop(store=SqliteReader(file))).start()
        await here.get("/servers")
        found = await here.get("/runs", by_user="ana")
        assert ({each["run"] for each in found["runs"]}, found["damaged"]) == ({"fine", "other"}, ["torn"])
        assert "The record of the run <code>torn</code> is damaged" in await here.page("/runs?by_user=ana")
        assert "the record of the run is damaged" in (await here.get("/runs/torn", status=500))["message"]

    run(test())


def test_people_of_a_host_cannot_choose_an_agent_or_a_tool_that_is_not_theirs() -> None:
    async def test() -> None:
        goods = Goods()
        app = shop(goods, authenticate=known, settings=ExploreSettings(agent="clerk"))
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        surface = await ana.get("/surface", agent="", show="missing")
        assert {each["tool"] for each in surface["tools"]} == {"goods.echo", "goods.find", "goods.order"}
        assert surface["agents"] == []
        await ana.get("/tools/goods.big", status=404)
        await ana.post("/tools/goods.big/calls", status=404, agent="", source="json", text='{"bytes": 1}')
        assert goods.calls == []

    run(test())


def test_a_host_says_who_may_answer() -> None:
    async def test() -> None:
        def never(person: Approver, question: Any) -> bool:
            assert (person.name, question["tool"], question["user"]) == ("ana", "goods.order", "ana")
            return False

        goods = Goods()
        app = shop(goods, authenticate=known, may_answer=never, settings=ExploreSettings(agent="clerk"))
        ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
        asking = await ana.call("goods.order", {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "x"}})
        question = (await ana.until(asking, "asking"))["question"]
        answer = {"question": question["id"], "decision": "allow_once"}
        assert "may not" in (await ana.post(f"/calls/{asking}/answer", status=403, **answer))["message"]
        (shown,) = (await ana.get("/inbox"))["questions"]
        assert not shown["may_answer"]
        await app.close()
        assert goods.calls == []

    run(test())


def test_a_secret_of_the_args_stands_in_no_answer_and_no_link() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        args = {"lines": [{"id": 1}], "pay": {"by": "card", "number": "4000-1234-5678"}}
        edited = await browser.post("/tools/goods.order/args", source="json", text=json.dumps(args))
        assert "4000-1234" not in edited["editor"]["link"]
        call = await browser.call("goods.order", args)
        asked = await browser.until(call, "asking")
        assert "4000-1234" not in json.dumps(asked)
        assert "4000-1234" not in await browser.page("/inbox")
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="allow_once")
        ended = await browser.until(call, "ended")
        for path in (f"/calls/{call}", f"/runs/{ended['run']}", f"/runs/{ended['run']}/replay"):
            assert "4000-1234" not in await browser.page(path)

    run(test())


def test_a_link_to_args_has_no_secret_value_and_names_what_is_left_out() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        args = {
            "lines": [{"id": 1}],
            "pay": {"by": "card", "number": "4000-1234-5678"},
            "notes": {"api_key": "k-123456"},
        }
        kept = {"lines": [{"id": 1}], "pay": {"by": "card"}, "notes": {}}
        left_out = {"/pay/number", "/notes/api_key"}
        call = await browser.call("goods.order", args)
        asked = await browser.until(call, "asking")
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="deny")
        ended = await browser.until(call, "ended")
        (recorded,) = (await browser.get(f"/runs/{ended['run']}"))["calls"]
        checked = await browser.post("/tools/goods.order/args", source="json", text=json.dumps(args))
        for each in (ended, recorded, checked["editor"]):
            assert (json.loads(each["link"]), {*each["link_left_out"]}) == (kept, left_out)
        for path in (f"/calls/{call}", f"/runs/{ended['run']}"):
            assert "&amp;left_out=%2F" in await browser.page(path)

    run(test())


def test_a_secret_is_not_sent_as_a_record_has_it() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        args = json.dumps({"lines": [{"id": 1}], "pay": {"by": "card", "number": "[redacted]"}})
        refused = await browser.post("/tools/goods.order/calls", status=400, source="json", text=args)
        assert refused["message"].startswith("/pay/number is `[redacted]`, which records have in place of a value")
        assert goods.calls == []
        await browser.until(await browser.call("goods.echo", {"text": "the word [redacted]"}), "ended")
        assert [name for name, _ in goods.calls] == ["echo"]

    run(test())


def test_a_call_that_no_page_has_made_is_denied() -> None:
    async def test() -> None:
        goods = Goods()
        app = shop(goods)
        payload = json.dumps({"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "x"}})
        result = await app.runtime.invoke(ToolRequest(name="goods.order", payload=payload), meta=ToolCallMeta())
        assert result.error is not None
        assert "no page has made this call" in result.error.message
        assert goods.calls == []

    run(test())


def test_the_copy_of_htmx_is_the_published_one() -> None:
    """Version 2.0.11 of npm, `dist/htmx.min.js`, under the Zero-Clause BSD licence beside it."""
    file = ROOT / "toolgen" / "explore" / "static" / "htmx.min.js"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert digest == "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
    assert "Zero-Clause BSD" in (file.parent / "htmx.LICENSE").read_text(encoding="utf-8")


def test_the_document_of_the_endpoints_is_openapi() -> None:
    from openapi_core import OpenAPI

    document = openapi()
    OpenAPI.from_dict(document)
    assert len(document["paths"]) == len({row.path for row in ROWS})


def test_the_tools_of_the_shop_are_those_of_its_catalog() -> None:
    assert "goods.secret_sale" in catalog()


def test_a_server_on_another_port_gets_no_cookie_and_nothing_is_where_its_path_is_not_known() -> None:
    """The cookie is for a path that nobody else knows, because browsers send cookies to all ports of a host."""
    found: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the base
            """Say nothing."""

    def visit(start: str, elsewhere: str) -> None:
        base, _, _ = start.partition("/start")
        host = "/".join(start.split("/")[:3])
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        browser.open(start)
        assert b"goods.echo" in browser.open(f"{base}/api/surface").read()
        browser.open(elsewhere)
        for path in ("/", "/surface", "/api/surface", "/static/explore.js"):
            with pytest.raises(HTTPError, match="404"):
                browser.open(f"{host}{path}")

    async def test() -> None:
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(shop().serve_http(on_listening=address.set_result))
        with HTTPServer(("127.0.0.1", 0), Other) as other:
            Thread(target=other.serve_forever, daemon=True).start()
            await asyncio.to_thread(visit, await address, f"http://127.0.0.1:{other.server_port}/")
            other.shutdown()
        assert found == [""]
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    asyncio.run(test())
