"""Chromium without a window, driven by selenium: pages from a disk, what they request, and what axe finds on them."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.programs.installed import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from selenium.webdriver import Chrome

AXE: Final = PROGRAMS / "browser" / "node_modules" / "axe-core" / "axe.min.js"

needs_browser = pytest.mark.skipif(
    shutil.which("chromium") is None or shutil.which("chromedriver") is None or not AXE.exists(),
    reason="chromium, chromium-driver or axe-core missing: sh tests/programs/install.sh long",
)


@contextmanager
def browser() -> Generator[Chrome]:
    """Start Chromium, with logs of its console and its requests."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        yield driver
    finally:
        driver.quit()


def show(driver: Chrome, page: Path, *, width: int = 1280, dark: bool = False) -> None:
    """Open a page in a window of some width, light or dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    driver.get(page.as_uri())


def _log(driver: Any, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = driver.get_log(kind)
    return entries


def requests(driver: Chrome) -> list[str]:
    """Return the URLs that were requested since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in _log(driver, "performance")]
    return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]


def console(driver: Chrome) -> list[str]:
    """Return what was written to the console since the last call, violations of the policy of the page among it."""
    return [entry["message"] for entry in _log(driver, "browser")]


def findings(driver: Chrome) -> list[str]:
    """Return what axe finds on the page: all its rules, best practices among them."""
    driver.execute_script(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; axe.run(document, {preload: false}).then(done);"
    )
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"]]


def overflow(driver: Chrome) -> int:
    """Return by how many pixels the page is wider than the window."""
    wider: int = driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wider
