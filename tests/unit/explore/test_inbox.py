"""The inbox: what durable runs ask, who may answer, and that one answer counts."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from tests.unit.engine.app import request, write
from tests.unit.engine.engines import Engines
from tests.unit.explore.browsing import Browser
from tests.unit.explore.test_security import known
from toolgen.explore import ExploreSettings, explorer
from toolgen.runtime import Approver

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from tests.unit.engine.engines import Running
    from toolgen.explore import Explorer


@pytest.fixture
def local(tmp_path: Path) -> Engines:
    return Engines("local", "", tmp_path)


@pytest.fixture
def sqlite(tmp_path: Path) -> Engines:
    return Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)


def inbox_of(running: Running, **options: Any) -> Explorer:
    settings = options.pop("settings", ExploreSettings(person=Approver("ann", ("finance",), "explore")))
    return explorer(running.host.runtime, engine=running.engine, settings=settings, **options)


@asynccontextmanager
async def asking(engines: Engines, user: str, **settings: Any) -> AsyncGenerator[tuple[Running, str, Any]]:
    async with asyncio.timeout(60), engines.opened(**settings) as running:
        run_id = await running.engine.start(request([write("a")], user=user))
        (question,) = await running.questions(run_id)
        yield running, run_id, question


def test_a_question_is_shown_with_all_that_an_answer_decides_and_answered(local: Engines) -> None:
    async def test() -> None:
        async with asking(local, "ann") as (running, run_id, question):
            browser = await Browser(inbox_of(running)).start()
            (shown,) = (await browser.get("/inbox"))["questions"]
            assert (shown["id"], shown["tool"], shown["user"], shown["run_id"]) == (
                question.id,
                "code.write_file",
                "ann",
                run_id,
            )
            assert json.loads(shown["arguments"])["path"] == "a"
            assert shown["may_answer"]
            assert "May code.write_file run?" in await browser.page("/inbox")
            answer = {"question": question.id, "decision": "allow_once", "reason": "checked"}
            done = await browser.post(f"/inbox/{run_id}", **answer)
            assert "by ann" in done["note"]
            assert "from explore" in done["note"]
            late = await browser.post(f"/inbox/{run_id}", status=409, **answer)
            assert "faster" in late["message"] or "any more" in late["message"]
            await running.engine.result(run_id, 20)
            assert running.marks() == ["a"]
            (counted,) = await running.engine.answers(run_id)
            assert (counted.by, counted.via, counted.reason) == ("ann", "explore", "checked")

    asyncio.run(test())


def test_of_two_people_one_wins_and_the_other_is_told_who(local: Engines) -> None:
    async def test() -> None:
        async with asking(local, "ann") as (running, run_id, question):
            browsers = [await Browser(inbox_of(running)).start() for _ in range(2)]
            answers = await asyncio.gather(
                *(
                    each.http.post(
                        f"/api/inbox/{run_id}",
                        json={"question": question.id, "decision": decision},
                        headers={"X-CSRF-Token": each.csrf},
                    )
                    for each, decision in zip(browsers, ("allow_once", "deny"), strict=True)
                )
            )
            assert sorted(each.status_code for each in answers) == [200, 409]
            assert len(await running.engine.answers(run_id)) == 1

    asyncio.run(test())


def test_a_question_that_cannot_be_read_hides_no_other(sqlite: Engines) -> None:
    async def test() -> None:
        async with asking(sqlite, "ann") as (running, broken, _):
            run_id = await running.engine.start(request([write("b")], user="ann"))
            await running.questions(run_id)
            database = sa.create_engine(sqlite.url)
            change = sa.text("UPDATE workflow_events SET value = :v WHERE workflow_uuid = :r AND key = 'questions'")
            with database.begin() as connection:
                connection.execute(change, {"v": '{"call": {"id": "q", "approvers": {"roles": 5}}}', "r": broken})
            database.dispose()
            browser = await Browser(inbox_of(running)).start()
            shown = await browser.get("/inbox")
            assert [each["run_id"] for each in shown["questions"]] == [run_id]
            (problem,) = shown["problems"]
            assert f"'{broken}'" in problem
            page = await browser.page("/inbox")
            assert "Run <code>" in page
            assert broken in page
            assert {each.run_id: each.state for each in await running.engine.runs()} == {
                broken: "waiting",
                run_id: "waiting",
            }

    asyncio.run(test())


def test_a_denial_of_a_run_may_propose_args(local: Engines) -> None:
    async def test() -> None:
        async with asking(local, "ann") as (running, run_id, question):
            browser = await Browser(inbox_of(running)).start()
            answer = {"question": question.id, "decision": "deny", "reason": "elsewhere"}
            wrong = await browser.post(f"/inbox/{run_id}", status=400, **answer, proposal='{"path": 1}')
            assert "/path" in wrong["message"]
            assert await running.engine.answers(run_id) == []
            other = {"path": "elsewhere", "content": "x"}
            await browser.post(f"/inbox/{run_id}", **answer, proposal=json.dumps(other))
            (counted,) = await running.engine.answers(run_id)
            assert (counted.reason, counted.proposal) == ("elsewhere", other)

    asyncio.run(test())


def test_policies_say_who_may_answer(local: Engines) -> None:
    async def test() -> None:
        approvers = {"code.write_file": {"roles": ["board"]}}
        async with asking(local, "ann", approvers=approvers) as (running, run_id, question):
            browser = await Browser(inbox_of(running)).start()
            (shown,) = (await browser.get("/inbox"))["questions"]
            assert not shown["may_answer"]
            assert shown["refusal"] == "only board may answer"
            answer = {"question": question.id, "decision": "deny"}
            assert "only board" in (await browser.post(f"/inbox/{run_id}", status=403, **answer))["message"]
            assert await running.engine.answers(run_id) == []

    asyncio.run(test())


def test_two_people_must_allow_where_a_policy_says_so(local: Engines) -> None:
    async def test() -> None:
        approvers = {"code.write_file": {"people": 2}}
        async with asking(local, "ann", approvers=approvers) as (running, run_id, question):
            answer = {"question": question.id, "decision": "allow_once"}
            for name, told in (("ann", "noted"), ("bob", "by ann and bob")):
                settings = ExploreSettings(person=Approver(name, (), "explore"))
                browser = await Browser(inbox_of(running, settings=settings)).start()
                assert told in (await browser.post(f"/inbox/{run_id}", **answer))["note"]
            await running.engine.result(run_id, 20)
            assert running.marks() == ["a"]

    asyncio.run(test())


def test_other_peoples_questions_are_not_shown_unless_the_host_lets_someone_answer(local: Engines) -> None:
    async def test() -> None:
        async with asking(local, "ana") as (running, run_id, question):
            app = inbox_of(running, authenticate=known)
            bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
            assert (await bo.get("/inbox"))["questions"] == []
            answer = {"question": question.id, "decision": "allow_once"}
            await bo.post(f"/inbox/{run_id}", status=403, **answer)
            await bo.post(f"/inbox/{run_id}", status=404, question="q", decision="deny")

            async def sales(person: Approver, asked: Any) -> bool:
                return "sales" in person.roles and asked["user"] == "eve"

            app = inbox_of(running, authenticate=known, may_answer=sales)
            ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
            (shown,) = (await ana.get("/inbox"))["questions"]
            assert shown["refusal"] == "the host does not let you answer"
            assert await running.engine.answers(run_id) == []

    asyncio.run(test())


def test_a_question_waits_for_a_host_that_was_restarted(sqlite: Engines) -> None:
    async def test() -> None:
        async with asking(sqlite, "ann") as (_, run_id, question):
            pass
        async with asyncio.timeout(60), sqlite.opened() as running:
            browser = await Browser(inbox_of(running)).start()
            (shown,) = (await browser.get("/inbox"))["questions"]
            assert (shown["run_id"], shown["id"]) == (run_id, question.id)
            await browser.post(f"/inbox/{run_id}", question=question.id, decision="allow_once")
            await running.engine.result(run_id, 30)
            assert running.marks() == ["a"]

    asyncio.run(test())


async def many_ask(running: Running, count: int) -> None:
    """Let ana's run ask, then so many of bob, then one of ana and one of eve."""
    asking = [
        ("ana-1", "ana"),
        *((f"bob-{number}", "bob") for number in range(count)),
        ("ana-2", "ana"),
        ("eve", "eve"),
    ]
    for run_id, user in asking:
        await running.engine.start(request([write("a")], run_id=run_id, user=user))
        await running.questions(run_id)


async def all_pages(browser: Browser) -> list[list[str]]:
    """Return the runs whose questions are on each page, by the links from page to page."""
    pages: list[list[str]] = []
    while True:
        number = str(len(pages) + 1)
        shown = await browser.get("/inbox", page=number)
        assert shown["page"] == len(pages) + 1
        pages.append([each["run_id"] for each in shown["questions"]])
        page = await browser.page(f"/inbox?page={number}")
        assert ('rel="next"' in page) == shown["has_more"]
        assert ('rel="prev"' in page) == (len(pages) > 1)
        if not shown["has_more"]:
            return pages


def test_each_question_is_on_a_page_the_oldest_first_whatever_others_ask(local: Engines) -> None:
    async def test() -> None:
        async with asyncio.timeout(120), local.opened() as running:
            await many_ask(running, 205)
            app = inbox_of(running, authenticate=known)
            ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
            assert await all_pages(ana) == [["ana-1", "ana-2"]]
            person = await Browser(inbox_of(running)).start()
            pages = await all_pages(person)
            assert [len(page) for page in pages] == [50, 50, 50, 50, 8]
            bobs = [f"bob-{number}" for number in range(205)]
            assert [*chain.from_iterable(pages)] == ["ana-1", *bobs, "ana-2", "eve"]
            (last,) = [each for each in (await person.get("/inbox", page="5"))["questions"] if each["user"] == "eve"]
            made = {"question": last["id"], "decision": "maybe", "csrf": person.csrf}
            wrong = await person.http.post("/inbox/eve?page=5", data=made)
            assert wrong.status_code == 400
            assert f'id="asked-{last["id"]}"' in wrong.text
            done = await person.http.post("/inbox/eve?page=5", data={**made, "decision": "deny"})
            assert done.headers["location"] == "/inbox?page=5"
            assert [len(page) for page in await all_pages(person)] == [50, 50, 50, 50, 7]

    asyncio.run(test())


def test_who_may_answer_for_others_sees_those_and_their_own_whatever_one_of_them_asks(local: Engines) -> None:
    async def test() -> None:
        async def only_eve(_person: Approver, asked: Any) -> bool:
            return bool(asked["user"] in ("eve", "ana"))

        async with asyncio.timeout(120), local.opened() as running:
            await many_ask(running, 120)
            app = inbox_of(running, authenticate=known, may_answer=only_eve)
            ana = await Browser(app, headers={"x-user-token": "t-ana"}).opened()
            assert (await all_pages(ana))[0] == ["ana-1", "ana-2", "eve"]
            bo = await Browser(app, headers={"x-user-token": "t-bo"}).opened()
            assert [*chain.from_iterable(await all_pages(bo))] == ["ana-1", "ana-2", "eve"]

    asyncio.run(test())
