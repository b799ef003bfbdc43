"""The site in a browser: for keyboards, screen readers and phones, light and dark, without any request to elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.building import toolset
from tests.project.checkout import ROOT
from tests.unit.authoring.site.browser import browser, console, findings, needs_browser, overflow, requests, show
from tests.unit.authoring.site.project import SHOP, site_of
from tests.unit.cli.command_line import toolgen
from toolgen.authoring.site.write import write_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver import Chrome

pytestmark = [pytest.mark.long, needs_browser, pytest.mark.xdist_group("browser")]

NAMED = {"type": "object", "properties": {f"f{number}": {"enum": list(range(20))} for number in range(14)}}
TOP = {"type": "integer", "maximum": 2**63 - 1, "default": 1, "examples": [], "title": 'a "b\\\\" {c}: [d],'}
WIDE = {
    "description": "An_overlong_word_" * 12 + "\n\n`code` and text.",
    "args": {
        "type": "object",
        "properties": {
            "n" * 80: {"type": "string", "default": "d" * 90},
            "big": NAMED,
            "list": {"items": NAMED},
            "top": TOP,
        },
    },
    "result": {"type": "array", "items": NAMED},
    "examples": [{"args": {"big": {}}}],
}
PAGES = (
    "index.html",
    "toolsets/shop.orders.html",
    "tools/shop.orders.find.html",
    "tools/shop.orders.refund.html",
    "tools/wide.act.html",
    "agents/chat.html",
    "catalogs/all.html",
    "policies/careful.html",
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    write_site(folder, site_of({**SHOP, "wide.json": toolset("wide", WIDE, description="Wide.")}).items())
    return folder


def keys(driver: Chrome, *pressed: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    for key in pressed:
        ActionChains(driver).send_keys(key).perform()


def focused(driver: Chrome) -> str:
    text: str = driver.execute_script("return document.activeElement.id || document.activeElement.getAttribute('href')")
    return text


def wait_for(driver: Chrome, script: str) -> Any:
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(driver, 10).until(lambda driver: driver.execute_script(f"return {script}"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_and_nothing_overflows(driver: Chrome, site: Path, page: str, width: int, dark: bool) -> None:
    show(driver, site / page, width=width, dark=dark)
    assert findings(driver) == []
    assert overflow(driver) <= 0
    driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
    wait_for(driver, "!document.querySelector('details[open] > .code[data-language=json]:not([data-indented])')")
    assert findings(driver) == []
    assert overflow(driver) <= 0
    assert console(driver) == []


def test_axe_looks(driver: Chrome, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text('<!doctype html><title>x</title><input><p style="color: #ccc">Pale.', "utf-8")
    show(driver, tmp_path / "bad.html")
    found = {each.partition(":")[0] for each in findings(driver)}
    assert {"label", "color-contrast", "html-has-lang"} <= found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_requests_only_files_of_the_site(driver: Chrome, site: Path, page: str) -> None:
    requests(driver)
    show(driver, site / page)
    keys(driver, "/", "order")
    wait_for(driver, "document.querySelectorAll('#results a').length")
    found = requests(driver)
    scripts = ["search.js", "site.js", "search-data.js"]
    assert [url.removeprefix(f"{site.as_uri()}/") for url in found] == [page, "style.css", *scripts]
    assert console(driver) == []


def test_what_a_page_would_load_from_elsewhere_is_blocked(driver: Chrome, site: Path) -> None:
    show(driver, site / "index.html")
    driver.execute_script(
        "const made = document.createElement('img'); made.src = 'https://example.com/x.png';"
        "document.body.append(made);"
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        "document.body.append(script);"
    )
    assert driver.execute_script("return window.ran === undefined")
    assert len([each for each in console(driver) if "Content Security Policy" in each]) == 2


def test_the_search_is_used_with_the_keyboard(driver: Chrome, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    show(driver, site / "policies" / "careful.html")
    keys(driver, "/")
    assert focused(driver) == "query"
    keys(driver, "order")
    wait_for(driver, "document.querySelectorAll('#results a').length")
    assert driver.execute_script("return document.getElementById('count').textContent") == "4 results"
    assert findings(driver) == []
    keys(driver, Keys.ARROW_DOWN)
    assert focused(driver) == "../toolsets/shop.orders.html"
    keys(driver, Keys.ARROW_DOWN)
    assert focused(driver) == "../tools/shop.orders.find.html"
    keys(driver, Keys.ARROW_UP, Keys.ARROW_UP)
    assert focused(driver) == "query"
    keys(driver, Keys.ESCAPE)
    assert driver.execute_script("return document.getElementById('results').hidden")
    assert focused(driver) == "query"
    keys(driver, Keys.ESCAPE)
    assert driver.execute_script("return document.getElementById('query').value") == ""
    keys(driver, "fin order", Keys.ENTER)
    wait_for(driver, "location.pathname.endsWith('/tools/shop.orders.find.html')")


def test_the_search_says_that_nothing_matches(driver: Chrome, site: Path) -> None:
    show(driver, site / "index.html")
    keys(driver, "/", "xyzzy <b>")
    wait_for(driver, "document.getElementById('results').textContent")
    assert driver.execute_script("return document.getElementById('count').textContent") == "0 results"
    assert driver.execute_script("return document.getElementById('results').textContent") == (
        "Nothing matches “xyzzy <b>”."
    )


def test_the_first_tab_skips_to_the_content_and_focus_is_seen(driver: Chrome, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    show(driver, site / "index.html")
    keys(driver, Keys.TAB)
    assert focused(driver) == "#main"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert driver.execute_script(f"return {outline}") == "solid"
    assert driver.execute_script("return document.activeElement.getBoundingClientRect().top") >= 0
    keys(driver, Keys.ENTER)
    assert focused(driver) == "main"


def test_wide_tables_are_scrolled_with_the_keyboard_and_links_open_closed_parts(driver: Chrome, site: Path) -> None:
    show(driver, site / "tools" / "shop.orders.find.html", width=360)
    assert driver.execute_script("return document.querySelector('.scroll').tabIndex") == 0
    show(driver, site / "tools" / "shop.orders.find.html")
    assert driver.execute_script("return document.querySelector('.scroll').tabIndex") == -1
    show(driver, site / "tools" / "wide.act.html", width=360)
    link = driver.execute_script("return document.querySelector('.fields .type a').getAttribute('href').slice(1)")
    assert not driver.execute_script(f"return document.getElementById('{link}').open")
    driver.execute_script("document.querySelector('.fields .type a').click()")
    wait_for(driver, f"document.getElementById('{link}').open")


def test_json_is_indented_when_it_is_opened(driver: Chrome, site: Path) -> None:
    show(driver, site / "tools" / "shop.orders.find.html")
    driver.execute_script("document.querySelector('.form').open = true")
    text = wait_for(driver, "document.querySelector('.form .code[data-indented]')?.textContent")
    assert text.startswith('{\n  "tools": [\n')
    show(driver, site / "tools" / "wide.act.html")
    driver.execute_script("document.querySelector('.raw').open = true")
    schema = json.loads(wait_for(driver, "document.querySelector('.raw .code[data-indented]')?.textContent"))
    assert schema["properties"]["top"] == TOP


def test_the_site_of_the_examples_has_no_finding_on_any_kind_of_page(driver: Chrome, tmp_path: Path) -> None:
    done = toolgen(ROOT, "docs", "-o", str(tmp_path / "site"), "--history", "3")
    assert done.code == 0, done.err
    names = (
        "index.html",
        "changes.html",
        "tools/bot.research.html",
        "tools/agent.task_create.html",
        "agents/main.html",
    )
    for name in (*names, "catalogs/universal.html", "policies/coding.html", "toolsets/mcp.github.html"):
        page = tmp_path / "site" / name
        if not page.exists():  # a checkout without history
            assert name == "changes.html"
            continue
        for dark in (False, True):
            show(driver, page, width=360, dark=dark)
            assert findings(driver) == [], name
            assert overflow(driver) <= 0, name
            assert console(driver) == [], name
