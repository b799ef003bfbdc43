"""The screenshots of the guide, from the project that `toolgen init` makes: `python -m tests.unit.explore.screenshots`.

They are taken anew when the pages change, and looked at before they are committed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.project.checkout import ROOT
from tests.unit.authoring.site.browser import browser
from tests.unit.explore.test_browser import find, press, size, wait_for

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

IMAGES = ROOT / "docs" / "how-to" / "runtime" / "images"
ARGS = {"order_id": "o-1", "amount": 5}


def toolgen(folder: Path, *arguments: str) -> list[str]:
    subprocess.run([sys.executable, "-m", "toolgen", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return [sys.executable, "-m", "toolgen"]


def save(driver: Chrome, name: str, height: int) -> None:
    """Save what is at the top of a page."""
    driver.execute_script("window.scrollTo(0, 0); document.activeElement.blur()")
    metrics = {"width": 1000, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    driver.save_screenshot(str(IMAGES / f"{name}.png"))
    size(driver)


def take(driver: Chrome, address: str) -> None:
    origin = address.partition("/start")[0]
    driver.get(address)
    wait_for(driver, "return location.pathname === '/surface' && document.readyState === 'complete'")
    driver.get(f"{origin}/tools/shop.orders.refund#args={json.dumps(ARGS)}")
    wait_for(driver, "return document.querySelector('#checked .good') !== null")
    save(driver, "explore-tool", 900)
    press(driver, "Call")
    find(driver, ".question")
    save(driver, "explore-question", 800)
    press(driver, "Allow once")
    find(driver, "#result")
    press(driver, "Its record")
    wait_for(driver, "return document.querySelector('#verified a') === null")
    find(driver, "#live summary").click()
    save(driver, "explore-run", 900)


def main() -> None:
    """Make the project, explore it, and take the screenshots."""
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as made:
        folder = Path(made)
        toolgen(folder, "init", ".")
        command = toolgen(folder, "build")
        explore = [*command, "explore", "--no-open", "--stub", "--store", "calls.db"]
        with subprocess.Popen(explore, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                address = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
                with browser() as driver:
                    size(driver)
                    take(driver, address)
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
