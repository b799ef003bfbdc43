"""Live pages in Chromium: a run of 1,000 calls is followed, and two people answer what a durable run asks."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.authoring.site.browser import console, findings, needs_browser
from tests.unit.engine.app import request, write
from tests.unit.engine.engines import Engines
from tests.unit.explore.shop import Goods, shop
from tests.unit.explore.test_browser import Served, driver, find, press, size, wait_for
from tests.unit.explore.test_inbox import inbox_of
from tests.unit.explore.test_security import known
from toolgen.explore import explorer
from toolgen.record import ChainKey, MemoryStore, SqliteStore
from toolgen.record.stores import open_reader
from toolgen.runtime import Approver, NewEvent, ToolCallMeta, ToolRequest

if TYPE_CHECKING:
    from pathlib import Path

    from selenium.webdriver import Chrome

    from tests.unit.engine.engines import Running
    from toolgen.runtime import RunRecord

__all__ = ["driver"]

pytestmark = [pytest.mark.long, needs_browser, pytest.mark.xdist_group("browser")]

KEY = ChainKey(b"k" * 32)


def text(driver: Chrome, selector: str) -> str:
    return str(find(driver, selector).get_attribute("textContent"))


def wait_for_text(driver: Chrome, selector: str, wanted: str) -> None:
    found = f"(document.querySelector({json.dumps(selector)}) || {{textContent: ''}}).textContent"
    wait_for(driver, f"return {found}.replace(/\\s+/g, ' ').includes({json.dumps(wanted)})")


def test_a_live_run_of_1000_calls_is_followed_to_its_end(driver: Chrome, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "record.db", key=KEY)
    made = shop(store=store)
    app = explorer(made.runtime, store=open_reader(tmp_path / "record.db"), chain_key=KEY)
    run = app.runtime.start_run(meta=ToolCallMeta(user="ana"))
    run_id = str(run.meta.run_id)

    async def calls(count: int, *, end: bool = False) -> None:
        for first in range(0, count, 50):
            await asyncio.gather(
                *(
                    app.runtime.invoke(ToolRequest(name="goods.find", payload='{"word": "tea"}'), run=run)
                    for _ in range(first, min(first + 50, count))
                )
            )
        if end:
            await app.runtime.end_run(run)

    with Served(app, Goods()).running() as served:
        size(driver)
        driver.get(served.address + app.start_path)
        wait_for(driver, "return location.pathname === '/surface'")
        driver.get(f"{served.address}/runs")
        wait_for_text(driver, "#live", "0 runs.")
        user = find(driver, "#by_user")
        user.send_keys("an")
        asyncio.run(calls(10))
        wait_for_text(driver, "tbody tr", run_id)
        assert driver.execute_script("return document.activeElement.id") == "by_user"
        assert user.get_attribute("value") == "an"
        driver.execute_script(
            "document.querySelector('tbody a').focus(); window.kept = document.querySelector('tbody tr')"
        )
        asyncio.run(calls(20))
        wait_for(driver, "return document.querySelectorAll('tbody td')[3].textContent === '30'")
        assert driver.execute_script("return document.activeElement === document.querySelector('tbody a')")
        assert driver.execute_script("return window.kept === document.querySelector('tbody tr')")
        find(driver, "tbody a").click()
        wait_for_text(driver, "#summary", "completed 30")
        wait_for_text(driver, "#verified", "intact 60 rows, each of which")
        find(driver, ".timeline li:nth-child(3) summary").click()
        driver.execute_script("window.kept = document.querySelector('.timeline li:nth-child(3)')")
        asyncio.run(calls(200))
        wait_for_text(driver, "#summary", "completed 230")
        wait_for(driver, "return document.querySelectorAll('.timeline > li').length === 100")
        find(driver, "#next")
        asyncio.run(calls(770, end=True))
        wait_for_text(driver, "#summary", "completed 1,000")
        wait_for_text(driver, "#summary", "ended: completed")
        assert driver.execute_script("return window.kept === document.querySelector('.timeline li:nth-child(3)')")
        assert driver.execute_script("return window.kept.querySelector('details').open")
        assert driver.execute_script("return document.activeElement.closest('li') === window.kept")
        assert findings(driver) == []
        press(driver, "Next")
        wait_for_text(driver, ".pages", "Page 2")
        assert find(driver, ".timeline").get_attribute("start") == "101"
        driver.get(f"{served.address}/runs/{run_id}?page=10")
        wait_for_text(driver, "#verified", "intact 2,001 rows")
        assert driver.execute_script("return document.querySelector('#next') === null")
        asyncio.run(store.close())
        assert console(driver) == []


class Host(Served):
    """A host of durable runs whose inbox people share."""

    running_engine: Running

    def __init__(self, engines: Engines) -> None:
        super().__init__(Any, Goods())  # type: ignore[arg-type]  # the app needs the engine, which needs the loop
        self._engines = engines

    async def _serve(self) -> None:
        async with self._engines.opened() as self.running_engine:
            self.loop = asyncio.get_running_loop()
            self.app = inbox_of(self.running_engine, authenticate=known, may_answer=lambda _person, _asked: True)
            await super()._serve()

    def do(self, what: Any) -> Any:
        """Run something in the loop of the host."""
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(60)

    def ask(self, path: str) -> tuple[str, str]:
        """Start a run that asks; return its id and that of the question."""
        run_id = self.do(self.running_engine.engine.start(request([write(path)], user="ana")))
        (question,) = self.do(self.running_engine.questions(run_id))
        return run_id, question.id


def be(driver: Chrome, window: str, token: str) -> None:
    """Look at a window in which someone is signed in."""
    driver.switch_to.window(window)
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"x-user-token": token}})


def test_a_question_outlives_its_host_and_of_two_people_one_answers(driver: Chrome, tmp_path: Path) -> None:
    engines = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)
    with Host(engines).running() as host:
        assert isinstance(host, Host)
        first_run, first = host.ask("a")
    with Host(engines).running() as host:
        assert isinstance(host, Host)
        size(driver)
        driver.get("about:blank")
        ana = driver.current_window_handle
        driver.switch_to.new_window("tab")
        bo = driver.current_window_handle
        try:
            for window, token in ((ana, "t-ana"), (bo, "t-bo")):
                be(driver, window, token)
                driver.get(f"{host.address}/inbox")
                find(driver, f"#asked-{first} button")
            # Bo writes a reason while Ana answers.
            reason = find(driver, f"#reason-{first}")
            reason.send_keys("not this")
            be(driver, ana, "t-ana")
            press(driver, "Allow once")
            wait_for_text(driver, "#live", "0 questions wait.")
            be(driver, bo, "t-bo")
            wait_for_text(driver, f"#asked-{first} .problem", "This is not asked any more")
            assert find(driver, f"#reason-{first}").get_attribute("value") == "not this"
            assert driver.execute_script("return document.querySelector('.question button') === null")
            host.do(host.running_engine.engine.result(first_run, 30))
            # A second question comes while both look, and what Bo wrote stays. Bo answers; Ana's page is then too late.
            second_run, second = host.ask("b")
            find(driver, f"#asked-{second} button")
            assert find(driver, f"#reason-{first}").get_attribute("value") == "not this"
            assert findings(driver) == []
            be(driver, ana, "t-ana")
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
            driver.get(f"{host.address}/inbox")
            find_without_scripts(driver, f"#asked-{second} button[value=deny]")
            be(driver, bo, "t-bo")
            press(driver, "Allow once")
            wait_for_text(driver, "#live", "0 questions wait.")
            be(driver, ana, "t-ana")
            find_without_scripts(driver, f"#asked-{second} button[value=deny]").send_keys("\n")
            told = find_without_scripts(driver, "[role=alert]").text
            assert "someone was faster" in told
            assert "by bo" in told
            host.do(host.running_engine.engine.result(second_run, 30))
            assert host.running_engine.marks() == ["a", "b"]
        finally:
            driver.switch_to.window(bo)
            driver.close()
            driver.switch_to.window(ana)
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
            driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})


def find_without_scripts(driver: Chrome, selector: str) -> Any:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(driver, 20).until(lambda each: next(iter(each.find_elements(By.CSS_SELECTOR, selector)), None))


class Held(MemoryStore):
    """A store that returns the first events of a run at once, and the others when they may go."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go = threading.Event()

    async def page(self, run_id: str, /, after: int, most: int) -> RunRecord:
        while after > 0 and not self.may_go.is_set():
            await asyncio.sleep(0.01)
        return await super().page(run_id, after, most)


def test_a_long_run_of_a_visitor_appears_once_all_of_it_is_known_to_be_theirs(driver: Chrome) -> None:
    store = Held()
    for run_id, users in (("mine", ["ana"] * 700), ("shared", ["ana"] * 700 + ["bo"])):
        for number, user in enumerate(users):
            store.append(NewEvent("tool_started", run_id, "goods.find", f"c{number}", {"user": user}))
    app = shop(store=store, authenticate=lambda _: Approver("ana", ()))
    with Served(app, Goods()).running() as served:
        size(driver)
        for run_id in ("mine", "shared"):
            store.may_go.clear()
            driver.get(f"{served.address}/runs/{run_id}")
            wait_for_text(driver, "#live", "to know that all of it is yours")
            assert findings(driver) == []
            assert "goods.find" not in driver.page_source
            store.may_go.set()
            if run_id == "mine":
                wait_for(driver, "return document.querySelectorAll('#live .timeline > li').length === 100")
                assert find(driver, "#next").text == "Next"
                wait_for_text(driver, "#summary", "700")
            else:
                wait_for_text(driver, "#live", "There is no such run.")
