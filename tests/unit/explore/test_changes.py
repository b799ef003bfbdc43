"""Changes: what differs from another version of the specs, and what lint finds, in a real repository."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.explore.browsing import Browser
from tests.unit.explore.shop import Goods, shop
from toolgen.runtime.policy.approvers import Approver

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """toolgen: 1
toolset: shop
tools:
  find: {description: Find goods by a word., permission: readonly, args: {word: {type: string, description: The word.}}}
"""


def repository(folder: Path) -> Path:
    (folder / "specs").mkdir(parents=True)
    (folder / "specs" / "shop.yaml").write_text(SPEC)
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "specs" / "shop.yaml").write_text(SPEC.replace("type: string", "type: integer"))
    return folder


def test_a_changed_tool_and_findings_stand_with_their_places(tmp_path: Path) -> None:
    async def test() -> None:
        browser = await Browser(shop(Goods(), project=repository(tmp_path))).start()
        assert "compiled and compared" in await browser.page("/changes")
        assert (await browser.get("/changes"))["is_compared"] is False
        found = await browser.post("/changes/compared", against="HEAD")
        assert found["problem"] == ""
        (change,) = (each for each in found["changes"] if (each["level"], each["category"]) == ("breaking", "wire"))
        assert (change["subject"], change["file"], change["line"]) == ("shop.find", "specs/shop.yaml", 4)
        assert "type: integer" in change["source"]
        assert all(each["file"] == "specs/shop.yaml" for each in found["findings"])
        assert found["left_out"] == 0

    asyncio.run(test())


@pytest.mark.usefixtures("forked_processes")
def test_what_cannot_be_compared_is_told(tmp_path: Path) -> None:
    async def test() -> None:
        folder = repository(tmp_path)
        browser = await Browser(shop(Goods(), project=folder)).start()
        assert "nowhere" in (await browser.post("/changes/compared", against="nowhere"))["problem"]
        assert "--help" in (await browser.post("/changes/compared", against="--help"))["problem"]
        await browser.post("/changes/compared", status=400, against="a\nb")
        (folder / "specs" / "shop.yaml").write_text("toolset: [<script>\n")
        broken = await browser.post("/changes/compared", against="HEAD")
        assert "specs/shop.yaml" in broken["problem"]
        page = await browser.http.post("/changes/compared", data={"csrf": browser.csrf, "against": "HEAD"})
        assert page.status_code == 200
        assert "<script>" not in page.text.replace("<script src", "")

    asyncio.run(test())


def test_who_is_not_at_this_machine_sees_no_project(tmp_path: Path) -> None:
    async def test() -> None:
        mounted = shop(Goods(), project=tmp_path, authenticate=lambda _request: Approver("ann", (), "web"))
        browser = await Browser(mounted).opened()
        await browser.get("/changes", status=404)
        await browser.post("/changes/compared", status=404, against="HEAD")
        assert "/changes" not in await browser.page("/surface")
        without = await Browser(shop(Goods())).start()
        await without.get("/changes", status=404)

    asyncio.run(test())
