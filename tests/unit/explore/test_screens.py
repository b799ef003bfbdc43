"""What each screen shows, by its endpoint, from real calls of a runtime."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.building import compiled
from tests.unit.engine.app import add_policy
from tests.unit.explore.browsing import ORIGIN, Browser
from tests.unit.explore.shop import Goods, shop
from tests.unit.record.sample import ended, result, started, write
from tests.unit.runtime.tools import add
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.explore import ExploreSettings, ask_in_page, explorer
from toolgen.explore.visitors import Visitor
from toolgen.record import ChainKey, MemoryStore, SqliteStore
from toolgen.record.stores import open_reader
from toolgen.runtime import Catalog, Runtime
from toolgen.runtime.events.records import EVERY_RUN
from toolgen.runtime.policy.approvers import Approver

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from toolgen.runtime.events.records import RunFilter, RunsPage, RunSummary


KEY = ChainKey(b"k" * 32)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_the_surface_has_the_tools_of_an_agent_and_why_others_are_missing() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        every = await browser.get("/surface")
        assert {each["tool"] for each in every["tools"]} == {
            f"goods.{name}" for name in ("big", "count", "echo", "find", "order", "wait")
        }
        clerk = await browser.get("/surface", agent="clerk")
        answers = {each["tool"]: each["answer"] for each in clerk["tools"]}
        assert answers == {"goods.echo": "allow", "goods.find": "allow", "goods.order": "ask"}
        missing = await browser.get("/surface", agent="clerk", show="missing")
        why = {each["tool"]: each["missing"] for each in missing["tools"]}
        assert why["goods.big"] == "the agent does not use it"
        excluded = (await browser.get("/surface", show="missing"))["tools"]
        assert [(each["tool"], each["missing"]) for each in excluded] == [("goods.secret_sale", "a policy excludes it")]
        assert {"answer": "exclude", "rule": "careful.rules: goods.secret_sale"} in excluded[0]["reasons"]
        closed = await browser.get("/surface", agent="clerk", mode="closed")
        assert {each["tool"]: each["answer"] for each in closed["tools"]}["goods.order"] == "deny"
        assert "there is no role" in (await browser.get("/surface", status=404, role="chief"))["message"]

    run(test())


def test_tools_that_are_missing_are_found_by_any_part_of_their_names() -> None:
    async def test() -> None:
        spec = {"toolgen": 1, "toolset": "notes", "tools": {"getItem": {"description": "A tool.", "args": {}}}}
        tools = Catalog(text=compiled({"notes.yaml": spec}).package()["catalog.json"].encode())
        browser = await Browser(explorer(Runtime(tools, missing=["notes"], permission=ask_in_page))).start()
        for query, found in (("getItem", 1), ("getitem", 1), ("ITEM", 1), ("other", 0)):
            assert (await browser.get("/surface", show="missing", query=query))["found"] == found, query

    run(test())


def test_the_links_of_a_refusal_lead_on() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        for path in ("/surface?agent=gone", "/surface?mode=gone&agent=clerk", "/tools/none?role=gone"):
            refused = await browser.http.get(path)
            assert refused.status_code == 404
            links = re.findall(r'href="(/(?!static)[^"]*)"', refused.text)
            assert len(links) > 5
            for link in links:
                await browser.page(link)
        kept = await browser.http.get("/tools/none?agent=clerk")
        assert 'href="/surface?agent=clerk"' in kept.text

    run(test())


def test_a_package_that_was_built_again_is_told_on_each_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def test() -> None:
        monkeypatch.setattr("toolgen.explore.loaded_package.package_folder", lambda _: tmp_path)
        file = tmp_path / "catalog.json"
        file.write_text("{}")
        browser = await Browser(shop()).start()
        told = "restart this explorer"
        assert told not in await browser.page("/surface")
        file.write_text("{} ")
        for path in ("/surface", "/tools/goods.find", "/runs"):
            assert told in await browser.page(path)
        file.write_text("{}")
        assert told not in await browser.page("/surface")

    run(test())


def test_a_search_finds_as_models_do_and_explains_the_score_by_words() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        found = (await browser.get("/surface", query="find goods"))["tools"]
        assert found[0]["tool"] == "goods.find"
        hit = found[0]["hit"]
        assert set(hit["words"]) == {"find", "good"}
        assert abs(sum(hit["words"].values()) - hit["score"]) < 0.001

    run(test())


def test_a_tool_has_its_rules_examples_and_a_form() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        tool = await browser.get("/tools/goods.find", agent="clerk")
        assert tool["examples"] == ['{"word":"tea","most":3}']
        assert tool["reasons"] == [{"answer": "allow", "rule": "careful.rules: goods.find"}]
        fields = tool["editor"]["form"]["fields"]
        assert [(each["label"], each["kind"], each["required"]) for each in fields] == [
            ("word", "text", True),
            ("most", "number", False),
        ]
        assert not tool["editor"]["is_valid"]
        assert "word" in tool["editor"]["told"]

    run(test())


def test_a_call_runs_through_the_runtime_and_shows_stages_and_result() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.find", {"word": "tea"}, agent="clerk", user="ana")
        ended = await browser.until(call, "ended")
        assert json.loads(ended["result"]["text"]) == [{"id": 1, "name": "tea pot"}]
        assert {each["stage"] for each in ended["stages"]} >= {"decode", "execute", "encode"}
        assert [(name, meta.user) for name, meta in goods.calls] == [("find", "ana")]
        assert ended["run"] in [each["run"] for each in (await browser.get("/runs"))["runs"]]

    run(test())


def test_a_call_with_wrong_args_is_refused_with_what_a_model_is_told() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        ended = await browser.until(await browser.call("goods.find", {"word": "t"}), "ended")
        assert ended["result"]["error"]["kind"] == "invalid_call"
        checked = await browser.post("/tools/goods.find/args", source="json", text='{"word": "t"}')
        assert checked["editor"]["told"] == ended["result"]["content"][0]["text"]
        assert list(checked["editor"]["errors"].values()) == [[ended["result"]["error"]["issues"][0]["hint"]]]

    run(test())


def test_a_new_entry_of_a_name_that_is_there_is_refused_at_its_input() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        base = json.dumps({"lines": [], "notes": {"door": "left"}})
        entry: dict[str, Any] = {
            "base": base,
            "action": "add",
            "at": "/notes",
            "k:/notes": "door",
            "v:/notes/door": "left side",
        }
        editor = (await browser.post("/tools/goods.order/args", **entry))["editor"]
        assert json.loads(editor["text"])["notes"] == {"door": "left side"}
        (notes,) = (each for each in editor["form"]["fields"] if each["pointer"] == "/notes")
        assert editor["errors"][f"{notes['id']}-name"] == ["there is an entry called `door` already"]
        headers = {"HX-Request": "true", "X-CSRF-Token": browser.csrf}
        page = (await browser.http.post("/tools/goods.order/args", data=entry, headers=headers)).text
        assert f'<p class="problem" id="{notes["id"]}-name-error">there is an entry called `door` already</p>' in page

    run(test())


ORDER = {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "Here 1"}}


def test_a_question_is_answered_once_in_the_page() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.order", ORDER)
        asked = await browser.until(call, "asking")
        assert goods.calls == []
        question = asked["question"]
        assert question["confirm"] == "Order these goods?"
        assert "confirm" in question["reasons"]
        inbox = (await browser.get("/inbox"))["questions"]
        assert [each["id"] for each in inbox] == [question["id"]]
        answer = {"question": question["id"], "decision": "allow_once"}
        assert (
            "does not ask"
            in (await browser.post(f"/calls/{call}/answer", status=409, **{**answer, "question": "q"}))["message"]
        )
        await browser.post(f"/calls/{call}/answer", **answer)
        await browser.post(f"/calls/{call}/answer", status=409, **answer)
        ended = await browser.until(call, "ended")
        assert json.loads(ended["result"]["text"])["to"] == "Here 1"
        record = await browser.get(f"/runs/{ended['run']}")
        assert record["calls"][0]["state"] == "completed"

    run(test())


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"people": 2}, "it needs the answer of 2 people, and one person answers here"),
        ({"roles": ["board"]}, "only board may answer"),
    ],
)
def test_a_page_does_not_ask_what_its_person_alone_may_not_allow(rule: dict[str, Any], why: str) -> None:
    async def test() -> None:
        tools = add(Catalog(), lambda _args: pytest.fail("it ran"), "own.wipe", permission="write")
        add_policy(tools, {"approvers": {"own.wipe": rule}})
        settings = ExploreSettings(person=Approver("ann", ("staff",)))
        browser = await Browser(explorer(Runtime(tools, permission=ask_in_page), settings=settings)).start()
        ended = await browser.until(await browser.call("own.wipe", {}), "ended")
        assert why in ended["result"]["error"]["message"]

    run(test())


def test_calls_beneath_a_call_ask_at_the_same_time_and_each_is_answered() -> None:
    async def test() -> None:
        catalog = Catalog()
        ended: list[str] = []

        async def turn(_: object) -> str:
            both = [ToolRequest(name=f"own.{name}", payload="{}", tool_call_id=name) for name in ("first", "second")]
            results = await runtime.turn(both, run=runtime.start_run(meta=ToolCallMeta(user="ann")))
            ended.extend(each.error.code if each.error else "ok" for each in results)
            return "done"

        for name in ("first", "second"):
            add(catalog, lambda _: "ran", f"own.{name}", permission="readonly", tags={"network"})
        add(catalog, turn, "own.turn", permission="readonly")
        runtime = Runtime(catalog, permission=ask_in_page)
        browser = await Browser(explorer(runtime)).start()
        call = await browser.call("own.turn", {})
        await browser.until(call, "asking")
        while len(asked := (await browser.get("/inbox"))["questions"]) < 2:
            await asyncio.sleep(0.01)
        assert [each["tool"] for each in asked] == ["own.first", "own.second"]
        assert (await browser.get(f"/calls/{call}"))["question"]["id"] == asked[0]["id"]
        await browser.post(f"/calls/{call}/answer", question=asked[1]["id"], decision="deny")
        assert (await browser.get(f"/calls/{call}"))["question"]["id"] == asked[0]["id"]
        await browser.post(f"/calls/{call}/answer", question=asked[0]["id"], decision="allow_once")
        assert (await browser.until(call, "ended"))["result"]["success"]
        assert ended == ["ok", "permission_denied"]

    run(test())


def test_a_denial_has_a_reason_that_the_model_is_told() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.order", ORDER)
        question = (await browser.until(call, "asking"))["question"]
        await browser.post(f"/calls/{call}/answer", question=question["id"], decision="deny", reason="too dear")
        ended = await browser.until(call, "ended")
        assert "too dear" in ended["result"]["content"][0]["text"]
        assert goods.calls == []

    run(test())


def test_an_answer_that_is_not_valid_is_shown_again_in_its_form_as_it_was_typed() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.order", ORDER)
        asked = (await browser.until(call, "asking"))["question"]["id"]
        typed = {"reason": "by <b>card</b>", "proposal": "</textarea>{", "question": asked, "decision": "deny"}
        form = {**typed, "csrf": browser.csrf}
        answer = await browser.http.post(f"/calls/{call}/answer", data=form, headers={"Origin": ORIGIN})
        assert answer.status_code == 400
        (problem,) = re.findall(r'<p class="problem" role="alert">([^<]*)</p>', answer.text)
        assert problem.startswith("the proposal cannot be given")
        assert ">\nby &lt;b&gt;card&lt;/b&gt;</textarea>" in answer.text
        assert "<details open>" in answer.text
        assert ">\n&lt;/textarea&gt;{</textarea>" in answer.text
        assert (await browser.get(f"/calls/{call}"))["state"] == "asking"
        gone = await browser.http.post(
            f"/calls/{call}/answer", data={**form, "question": "another"}, headers={"Origin": ORIGIN}
        )
        assert (gone.status_code, "Not done" in gone.text) == (409, True)
        await browser.post(f"/calls/{call}/cancel")

    run(test())


def test_a_denial_may_propose_args_that_the_model_takes_up() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.order", ORDER)
        answer = {"question": (await browser.until(call, "asking"))["question"]["id"], "reason": "by card only"}
        other = {"lines": [{"id": 1}], "pay": {"by": "invoice", "address": "Here 2"}}
        proposed = {**answer, "proposal": json.dumps(other)}
        for given, problem in (
            ({**proposed, "decision": "allow_once"}, "a proposal goes with a denial only"),
            ({**answer, "decision": "deny", "proposal": "{"}, "the proposal cannot be given"),
            ({**answer, "decision": "deny", "proposal": '{"lines": 1}'}, "/lines"),
        ):
            assert problem in (await browser.post(f"/calls/{call}/answer", status=400, **given))["message"]
        assert (await browser.get(f"/calls/{call}"))["state"] == "asking"
        await browser.post(f"/calls/{call}/answer", **proposed, decision="deny")
        ended = await browser.until(call, "ended")
        told = ended["result"]["content"][0]["text"]
        assert "by card only" in told
        assert ended["result"]["error"]["proposal"] == other
        assert json.loads(told.partition("asks again): ")[2]) == other
        assert "Args that would be allowed" in await browser.page(f"/calls/{call}")
        again = await browser.call("goods.order", json.loads(ended["proposed"]))
        assert (await browser.until(again, "asking"))["question"]["arguments"]
        assert goods.calls == []

    run(test())


def test_the_latest_sessions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.explore.calls._SESSIONS", 2)
    calls, visitor = shop().calls, Visitor(Approver("you"), sees_all=True)
    first, second = calls.session_of(visitor, "a"), calls.session_of(visitor, "b")
    assert calls.session_of(visitor, "a") is first
    calls.session_of(visitor, "c")
    assert calls.session_of(visitor, "a") is first
    assert calls.session_of(visitor, "b") is not second


def test_what_is_allowed_for_the_session_is_asked_once() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        call = await browser.call("goods.order", ORDER)
        question = (await browser.until(call, "asking"))["question"]
        assert question["scope"]
        await browser.post(f"/calls/{call}/answer", question=question["id"], decision="allow_for_session")
        await browser.until(call, "ended")
        again = await browser.until(await browser.call("goods.order", ORDER), "ended", "asking")
        assert again["state"] == "ended"

    run(test())


def test_a_call_that_runs_is_cancelled_and_one_with_progress_is_followed() -> None:
    async def test() -> None:
        goods = Goods()
        app = shop(goods)
        browser = await Browser(app).start()
        call = await browser.call("goods.wait", {})
        while not goods.calls:
            await asyncio.sleep(0)
        await browser.post(f"/calls/{call}/cancel")
        ended = await browser.until(call, "ended")
        assert ended["result"]["error"]["kind"] == "aborted"
        call = await browser.call("goods.count", {"steps": 1000})
        events = (await browser.http.get(f"/calls/{call}/events")).text
        assert "event: change" in events
        assert json.loads(events.strip().rsplit("data: ", 1)[1])["state"] == "ended"
        followed = await browser.get(f"/calls/{call}")
        latest = followed["progress"][-1]
        assert latest == {"text": "1,000 of 1,000: step 999", "progress": 1_000, "total": 1_000}
        page = await browser.page(f"/calls/{call}")
        assert '<progress value="1000" max="1000" aria-labelledby="progress"></progress>' in page
        assert "<li>999 of 1,000: step 998</li>" in page
        assert len(app.calls._calls[call].progress) == 200

    run(test())


def test_models_are_shown_the_tools_of_each_provider_and_presentation() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        shown = await browser.get("/models", agent="clerk", provider="anthropic")
        assert all(0 < each["tokens"] < each["bytes"] for each in shown["tools"])
        assert 0 < shown["payload_tokens"] < shown["payload_bytes"]
        assert json.loads(shown["payload"])["tools"][0]["name"] == "goods__echo"
        assert shown["payload_bytes"] == len(shown["payload"].encode())
        assert {each["tool"] for each in shown["tools"]} == {"goods.echo", "goods.find", "goods.order"}
        assert "codeact" in shown["presentations"]
        assert (await browser.get("/models", provider="openai", presentation="universal-category"))["problem"]
        await browser.get("/models", status=404, provider="nobody")

    run(test())


def test_runs_are_filtered_and_their_chain_is_verified(tmp_path: Path) -> None:
    async def test() -> None:
        file = tmp_path / "record.db"
        store = SqliteStore(file, key=KEY)
        app = shop(store=store)
        browser = await Browser(app).start()
        first = await browser.until(await browser.call("goods.find", {"word": "tea"}, user="ana"), "ended")
        failed = await browser.until(await browser.call("goods.find", {"word": "t"}, user="bo"), "ended")
        reading = await Browser(shop_of(app, file)).start()
        everything = await reading.get("/runs")
        assert [each["run"] for each in everything["runs"]] == [failed["run"], first["run"]]
        assert [each["run"] for each in (await reading.get("/runs", by_user="ana"))["runs"]] == [first["run"]]
        assert [each["run"] for each in (await reading.get("/runs", outcome="failed"))["runs"]] == [failed["run"]]
        assert (await reading.get("/runs", tool="goods.order"))["found"] == 0
        assert (await reading.get("/runs", until="2001-01-01"))["found"] == 0
        record = await reading.get(f"/runs/{first['run']}")
        assert (await reading.get(f"/runs/{first['run']}/verified"))["chain"]["is_intact"]
        summary = await reading.get(f"/runs/{first['run']}/summary")
        assert (summary["user"], summary["ended"], summary["events"]) == ("ana", "completed", 3)
        assert summary["counts"] == {"completed": 1, "failed": 0, "denied": 0, "running": 0}
        assert json.loads(record["calls"][0]["args"]) == {"word": "tea"}
        await store.close()
        tamper(file, first["run"])
        broken = (await reading.get(f"/runs/{first['run']}/verified"))["chain"]
        assert broken["is_intact"] is False
        assert broken["sequence"] == 0
        assert broken["first"].startswith("event 0 ")
        assert "(row 0)" in await reading.page(f"/runs/{first['run']}/verified")
        assert (await reading.get("/runs/none/verified", status=404))["message"] == "there is no such run"

    run(test())


def test_runs_stand_in_the_order_of_the_times_that_are_shown_first(tmp_path: Path) -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)

    async def test() -> None:
        times = [noon, noon + timedelta(minutes=1), noon + timedelta(minutes=2), noon + timedelta(minutes=3)]
        store = MemoryStore(clock=iter(times).__next__)
        for event in (started("c1", "long"), started("c2", "short")):
            await write(store, event)
        store.finish(ended(call="c2", run="short"), result("c2"))
        store.finish(ended(call="c1", run="long"), result("c1"))
        browser = await Browser(shop(store=store)).start()
        listed = (await browser.get("/runs"))["runs"]
        assert [(each["run"], each["last"][11:16], each["began"][11:16]) for each in listed] == [
            ("long", "12:03", "12:00"),
            ("short", "12:02", "12:01"),
        ]
        page = await browser.page("/runs")
        assert '<th scope="col" aria-sort="descending">Latest event</th><th scope="col">First event</th>' in page
        assert "<td>2026-05-01 12:03:00</td><td>2026-05-01 12:00:00</td>" in page

    run(test())


class Listing(MemoryStore):
    """A store that notes how many runs are listed at once."""

    def __init__(self) -> None:
        times = iter(range(10**6))
        super().__init__(clock=lambda: datetime(2026, 5, 1, tzinfo=UTC) + timedelta(hours=next(times)))
        self.asked: list[int] = []

    async def runs(self) -> tuple[RunSummary, ...]:
        raise AssertionError("the whole list is read")

    async def latest_runs(self, most: int, /, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        self.asked.append(most)
        return await super().latest_runs(most, skip=skip, which=which)


def test_a_page_of_runs_is_read_and_not_all_of_them() -> None:
    async def test() -> None:
        store = Listing()
        for number in range(120):
            run_id = f"run_{number:03}"
            await write(store, started("c", run_id))
            kind = "tool_denied" if number % 2 else "tool_completed"
            store.finish(ended(kind, "c", run_id), result("c"))
        browser = await Browser(shop(store=store)).start()

        async def page(number: int, **fields: Any) -> tuple[int, int, int, list[str]]:
            found = await browser.get("/runs", page=str(number), **fields)
            return found["page"], found["pages"], found["found"], [each["run"] for each in found["runs"]]

        names = [f"run_{number:03}" for number in reversed(range(120))]
        assert await page(1) == (1, 3, 120, names[:50])
        assert await page(3) == await page(9) == (3, 3, 120, names[100:])
        assert await page(2, outcome="denied") == (2, 2, 60, names[100::2])
        assert await page(1, tool="refund") == (1, 3, 120, names[:50])
        assert await page(9, tool="refund") == (3, 3, 120, names[100:])
        assert await page(1, since="2026-05-10", until="2026-05-10") == (1, 1, 12, names[0:12])
        assert await page(1, until="2026-05-01") == (1, 1, 12, names[108:])
        assert await page(1, until="9999-12-31") == (1, 3, 120, names[:50])
        assert (await browser.get("/find", query="run_11"))["places"][-1]["name"] == "run_110"
        await browser.get("/servers")
        assert max(store.asked) == 300
        for day in ("yesterday", "2026-13-01"):
            refused = await browser.get("/runs", status=400, since=day)
            assert refused["message"] == "`since` must be a day, such as 2026-05-01"

    run(test())


def test_what_a_call_waited_for_permission_is_told_apart_from_what_it_took() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        call = await browser.call("goods.order", ORDER)
        asked = await browser.until(call, "asking")
        await asyncio.sleep(0.02)
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="allow_once")
        ended = await browser.until(call, "ended")
        (recorded,) = (await browser.get(f"/runs/{ended['run']}"))["calls"]
        assert recorded["waited_us"] >= 20_000
        times = [datetime.fromisoformat(recorded[name]) for name in ("requested", "at")]
        assert (times[1] - times[0]) / timedelta(microseconds=1) == recorded["waited_us"]
        summary = await browser.get(f"/runs/{ended['run']}/summary")
        assert summary["waited_us"] == recorded["waited_us"]
        assert f"{recorded['requested'][11:23]}, waited " in await browser.page(f"/runs/{ended['run']}")
        assert ", after its first call had waited " in await browser.page(f"/runs/{ended['run']}/summary")

    run(test())


def test_args_that_are_too_long_for_a_page_are_cut_and_in_no_link() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        for length, is_cut in ((1_000, False), (100_000, True)):
            ended = await browser.until(await browser.call("goods.echo", {"text": "x" * length}), "ended")
            (recorded,) = (await browser.get(f"/runs/{ended['run']}"))["calls"]
            assert (ended["args_left_out"] > 0, recorded["args_left_out"] > 0) == (is_cut, is_cut)
            pages = [await browser.page(f"/calls/{ended['call']}"), await browser.page(f"/runs/{ended['run']}")]
            assert ["#args=" in page for page in pages] == [not is_cut] * 2
            assert ["more characters are not shown" in page for page in pages] == [is_cut] * 2
        long = json.dumps({"text": "x" * 100_000})
        deep = '{"word": ' + "[" * 960 + "]" * 960 + "}"
        assert not (await browser.post("/tools/goods.echo/args", source="json", text=deep))["editor"]["is_valid"]
        checked = await browser.post("/tools/goods.echo/args", source="json", text=long)
        assert (checked["editor"]["is_valid"], checked["editor"]["link"]) == (True, "")

    run(test())


def shop_of(app: Any, file: Path) -> Any:
    return explorer(app.runtime, store=open_reader(file), chain_key=KEY, settings=app.settings)


def tamper(file: Path, run_id: str) -> None:
    import sqlite3

    with closing(sqlite3.connect(file)) as connection, connection:
        (body,) = connection.execute("SELECT body FROM events WHERE run_id = ? AND sequence = 0", (run_id,)).fetchone()
        changed = bytes(body).replace(b"ana", b"eve")
        connection.execute("UPDATE events SET body = ? WHERE run_id = ? AND sequence = 0", (changed, run_id))


def test_a_recorded_run_is_replayed_against_this_build_without_a_call() -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods)).start()
        ended = await browser.until(await browser.call("goods.find", {"word": "tea"}), "ended")
        before = len(goods.calls)
        replayed = await browser.get(f"/runs/{ended['run']}/replay")
        assert [(each["tool"], each["verdict"], each["answer"]) for each in replayed["calls"]] == [
            ("goods.find", "same", "allow")
        ]
        without = await browser.get(f"/runs/{ended['run']}/replay", agent="clerk", mode="closed")
        assert without["changed"] == 0
        assert len(goods.calls) == before

    run(test())


@pytest.mark.long
def test_thousands_of_tools_are_on_pages() -> None:
    async def test() -> None:
        tools = Catalog()
        for number in range(250):
            tools.tool(
                f"many.tool_{number}", description="A tool.", permission="readonly", input_schema={"type": "object"}
            )(len)
        browser = await Browser(explorer(Runtime(tools, permission=ask_in_page))).start()
        first = await browser.get("/surface")
        assert (first["found"], first["pages"], len(first["tools"])) == (250, 3, 100)
        last = await browser.get("/surface", page="9")
        assert (last["page"], len(last["tools"])) == (3, 50)
        page = await browser.page("/surface?page=2&agent=")
        assert 'href="?page=3" rel="next"' in page
        assert 'href="?page=1" rel="prev"' in page

    run(test())


def test_an_answer_without_its_question_says_what_is_missing() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        call = await browser.call("goods.order", ORDER)
        asked = await browser.until(call, "asking")
        path = f"/calls/{call}/answer"
        refused = await browser.post(path, status=400, decision="allow_once")
        assert refused["message"] == "`question` is missing: the id of the question to answer"
        gone = await browser.post(path, status=409, question="other", decision="allow_once")
        assert gone["message"] == "the call does not ask this any more"
        await browser.post(path, question=asked["question"]["id"], decision="deny")

    run(test())


def test_the_palette_finds_tools_runs_and_pages() -> None:
    async def test() -> None:
        browser = await Browser(shop()).start()
        assert {each["name"] for each in (await browser.get("/find"))["places"]} == {
            *("Tools", "Models", "Runs", "Inbox", "Servers")
        }
        found = (await browser.get("/find", query="goods.fi", agent="clerk"))["places"]
        assert found[0] == {"kind": "tool", "name": "goods.find", "path": "/tools/goods.find?agent=clerk"}
        ended = await browser.until(await browser.call("goods.find", {"word": "tea"}), "ended")
        places = (await browser.get("/find", query=ended["run"][:12]))["places"]
        (run_,) = (each for each in places if each["kind"] == "run")  # a part of an id may be a word of a tool
        assert run_ == {"kind": "run", "name": ended["run"], "path": f"/runs/{ended['run']}"}
        assert "goods.secret_sale" not in json.dumps(await browser.get("/find", query="secret_sale"))

    run(test())
