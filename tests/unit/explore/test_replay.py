"""Replay of recorded calls against this build, and against other versions of the specs in a real repository."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import SPECS, Goods, shop
from tests.unit.explore.test_screens import ORDER
from toolgen.explore import ExploreSettings
from toolgen.explore.screens import models, replay
from toolgen.record.memory import MemoryStore
from toolgen.runtime.policy.approvers import Approver

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("forked_processes")

BREAKING = {
    "goods.yaml": SPECS["goods.yaml"]
    .replace("minLength: 2", "minLength: 5")
    .replace("word: tea", "word: teapot")
    .replace("    args: {steps: integer}\n    result: integer", "    args: {steps: integer}\n    result: string")
    .replace("  big:", "  large:"),
    "careful.policy.yaml": SPECS["careful.policy.yaml"].replace(
        "  goods.find: allow\n", "  goods.find: allow\n  goods.order: deny\n  goods.echo: ask\n"
    ),
}
"""Changes that break: of args, of a result, of a name, and of what policies decide."""


def versions(folder: Path, breaking: dict[str, str] = BREAKING) -> Path:
    """Make a repository whose specs are those of the shop, and those of its commit `breaking` are not."""
    (folder / "specs").mkdir(parents=True)
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    for tag, specs in (("breaking", {**SPECS, **breaking}), ("same", SPECS)):
        for name, text in specs.items():
            (folder / "specs" / name).write_text(text, encoding="utf-8")
        for words in (("add", "."), (*who, "commit", "-q", "-m", tag), ("tag", tag)):
            subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


async def recorded(browser: Browser, *calls: tuple[str, Any]) -> list[str]:
    """Make calls, each of which is allowed if it asks; return the paths of their replays."""
    paths = []
    for tool, args in calls:
        call = await browser.call(tool, args)
        asked = await browser.until(call, "asking", "ended")
        if asked["question"]:
            await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="allow_once")
        paths.append(f"/runs/{(await browser.until(call, 'ended'))['run']}/replay")
    return paths


def test_a_breaking_version_shows_what_each_call_would_meet(tmp_path: Path) -> None:
    async def test() -> None:
        goods = Goods()
        browser = await Browser(shop(goods, project=versions(tmp_path))).start()
        calls = [
            ("goods.find", {"word": "tea"}),
            ("goods.find", {"word": "teapot"}),
            ("goods.find", {"word": "t"}),
            ("goods.count", {"steps": 1}),
            ("goods.big", {"bytes": 3}),
            ("goods.order", ORDER),
            ("goods.echo", {"text": "x"}),
        ]
        paths = await recorded(browser, *calls)
        made = len(goods.calls)
        found = [await browser.post(path, against="breaking") for path in paths]
        assert {each["problem"] for each in found} == {""}
        assert found[0]["label"].startswith("breaking (")
        rows = [each["calls"][0] for each in found]
        assert [(row["verdict"], row["problems"]) for row in rows] == [
            ("changed", ["args: /word: use at least 5 characters"]),
            ("same", []),
            ("same", []),
            ("changed", ["result: the whole value: use a string"]),
            ("changed", ["there is no such tool"]),
            ("changed", ["policy: ask then, deny in this replay"]),
            ("changed", ["policy: allow then, ask in this replay"]),
        ]
        assert [(row["then"], row["answer"]) for row in rows[-2:]] == [("ask", "deny"), ("allow", "ask")]
        for path in (paths[0], paths[5]):
            for against in ("same", ""):
                same = await browser.post(path, against=against)
                assert (same["changed"], same["problem"]) == (0, "")
        assert (await browser.get(paths[0]))["label"] == "this build"
        clerk = await browser.post(paths[3], against="same", agent="clerk")
        assert clerk["calls"][0]["problems"] == ["the tool is missing for this agent"]
        assert len(goods.calls) == made
        page = await browser.http.post(paths[0], data={"csrf": browser.csrf, "against": "breaking"})
        assert "use at least 5 characters" in page.text

    asyncio.run(test())


def test_a_run_is_replayed_as_its_agent_unless_another_one_is_chosen(tmp_path: Path) -> None:
    async def test() -> None:
        folder, store = versions(tmp_path), MemoryStore()
        clerk = await Browser(shop(store=store, settings=ExploreSettings(agent="clerk"))).start()
        (path,) = await recorded(clerk, ("goods.find", {"word": "tea"}))
        browser = await Browser(shop(project=folder, store=store)).start()
        page = path.removesuffix("/replay")
        assert (await browser.get(f"{page}/summary"))["agents"] == ["clerk"]
        for agent, found in (("clerk", 1), ("cler", 0), ("", 1)):
            assert (await browser.get("/runs", by_agent=agent))["found"] == found
        assert (await browser.get(path))["agent"] == "clerk"
        assert (await browser.post(path, against="same"))["agent"] == "clerk"
        assert (await browser.get(path, agent=""))["agent"] == ""

    asyncio.run(test())


def test_a_version_that_cannot_be_had_is_told_and_nothing_is_checked(tmp_path: Path) -> None:
    async def test() -> None:
        folder = versions(tmp_path, {"goods.yaml": "toolset: [<script>\n"})
        browser = await Browser(shop(project=folder)).start()
        (path,) = await recorded(browser, ("goods.find", {"word": "tea"}))
        (folder / "specs" / "clerk.agent.yaml").unlink()
        for against, agent, problem in (
            ("nowhere", "", "`nowhere` is no commit"),
            ("--help", "", "`--help` is no commit"),
            ("breaking", "", "specs/goods.yaml:1:10: this `[` is never closed"),
            (".", "clerk", "clerk"),
        ):
            answer = await browser.post(path, against=against, agent=agent)
            assert problem in answer["problem"]
            assert (answer["calls"], answer["left_out"]) == ([], 1)
        await browser.post(path, status=400, against="a\nb")
        page = await browser.http.post(path, data={"csrf": browser.csrf, "against": "<script>alert(1)"})
        assert "Nothing was checked" in page.text
        assert "<script>alert" not in page.text

    asyncio.run(test())


def test_what_a_model_gets_is_compared_with_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        browser = await Browser(shop(project=versions(tmp_path))).start()
        view: dict[str, Any] = {"provider": "anthropic", "agent": ""}
        assert (await browser.get("/models", **view))["label"] == ""
        found = await browser.post("/models", against="breaking", **view)
        assert (found["comparison_problem"], found["label"].startswith("breaking (")) == ("", True)
        assert {each["tool"] for each in found["changed_tools"]} == {
            *("goods.big", "goods.large", "goods.find", "goods.order")
        }
        sizes = {each["tool"]: (each["before"], each["after"]) for each in found["changed_tools"]}
        assert sizes["goods.large"][1] is sizes["goods.big"][0] is None
        assert sizes["goods.order"][0] is None, "its policies denied it"
        lines = [line.replace(" ", "") for line in found["payload_diff"].split("\n")]
        assert '-"minLength":5,' in lines
        assert '+"minLength":2,' in lines
        assert found["payload_bytes_before"] != found["payload_bytes"]
        monkeypatch.setattr(models, "_ROWS", 2)
        short = await browser.post("/models", against="breaking", **view)
        assert (len(short["tools"]), len(short["changed_tools"]), short["changed_count"]) == (2, 2, 4)
        monkeypatch.undo()
        clerk = await browser.post("/models", against="breaking", provider="anthropic", agent="clerk")
        assert {each["tool"] for each in clerk["changed_tools"]} == {"goods.find", "goods.order"}
        same = await browser.post("/models", against="same", **view)
        assert (same["changed_tools"], same["payload_diff"], same["prompt_diff"]) == ([], "", "")
        prompted = await browser.post("/models", against="breaking", presentation="codeact", provider="openai")
        assert "large" in prompted["prompt_diff"]
        for against in ("nowhere", "--help"):
            assert "is no commit" in (await browser.post("/models", against=against, **view))["comparison_problem"]
        await browser.post("/models", status=400, against="a\nb", **view)
        page = await browser.http.post("/models", data={"csrf": browser.csrf, "against": "breaking", **view})
        assert "Since breaking (" in page.text
        page = await browser.http.post("/models", data={"csrf": browser.csrf, "against": "<script>alert(1)", **view})
        assert "Nothing was compared" in page.text
        assert "<script>alert" not in page.text
        stranger = await Browser(shop(project=None)).start()
        await stranger.post("/models", status=404, against="breaking", **view)

    asyncio.run(test())


def test_no_more_calls_are_checked_than_the_bounds_of_count_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        browser = await Browser(shop(project=versions(tmp_path))).start()
        (path,) = await recorded(browser, ("goods.find", {"word": "tea"}))
        monkeypatch.setattr(replay, "_SECONDS", 0.0)
        late = await browser.post(path, against="breaking")
        assert (late["calls"], late["left_out"], late["problem"]) == ([], 1, "")
        monkeypatch.setattr(replay, "_SECONDS", 30.0)
        monkeypatch.setattr(replay, "_MOST", 0)
        assert (await browser.get(path))["left_out"] == 1

    asyncio.run(test())


def test_other_versions_are_for_who_is_at_the_machine_of_the_project(tmp_path: Path) -> None:
    async def test() -> None:
        folder, store = versions(tmp_path), MemoryStore()
        browser = await Browser(shop(store=store, project=folder)).start()
        (path,) = await recorded(browser, ("goods.find", {"word": "tea"}))
        assert 'name="against"' in await browser.page(path)
        token = await browser.http.post(f"/api{path}", json={"against": "same"}, headers={"X-CSRF-Token": "no"})
        assert token.status_code == 403
        without = await Browser(shop(store=store)).start()
        await without.post(path, status=404, against="same")
        assert 'name="against"' not in await without.page(path)
        mounted = shop(store=store, project=folder, authenticate=lambda _request: Approver("ann", (), "web"))
        ann = await Browser(mounted).opened()
        await ann.post(path, status=404, against="same")
        reads = await Browser(shop(store=store, project=folder, settings=ExploreSettings(read_only=True))).start()
        assert (await reads.post(path, against="breaking"))["changed"] == 1

    asyncio.run(test())
