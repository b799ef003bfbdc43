"""The documentation as a site: it builds, its links resolve, and each code has a page."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.authoring.site.browser import browser, console, findings, needs_browser, overflow, show
from tests.unit.authoring.site.html_page import Page, broken_links
from toolgen.changes.rules import RULES
from toolgen.compiler.diagnostics.codes import CODES, LINT_RULES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-W", "error", "docs/make_site", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def files(site: Path) -> dict[str, str]:
    paths = [path for path in site.rglob("*") if path.suffix in (".html", ".js", ".css", ".png")]
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in paths}


def test_pages_are_well_formed_and_links_resolve(files: dict[str, str]) -> None:
    assert [*broken_links(files, outside="https://")] == []


def test_images_of_documents_are_on_the_site(site: Path) -> None:
    images = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.png")]
    assert images
    for path in images:
        assert (site / path).read_bytes() == (ROOT / "docs" / path).read_bytes()


def test_each_document_has_a_page_that_the_first_page_links_to(files: dict[str, str]) -> None:
    documents = [path for path in (ROOT / "docs").rglob("*.md") if not path.name.endswith(".intro.md")]
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in documents}
    assert pages < files.keys()
    assert pages < {*Page.of(files["index.html"]).links}


def test_each_diagnostic_and_each_rule_has_a_page(files: dict[str, str]) -> None:
    names = {row.code: row.name for rows in (CODES, LINT_RULES, RULES) for row in rows.values()}
    assert {f"codes/{code}.html" for code in names} == {
        path for path in files if path.startswith("codes/") and path != "codes/index.html"
    }
    linked = Page.of(files["codes/index.html"]).links
    for code, name in names.items():
        text = " ".join(Page.of(files[f"codes/{code}.html"]).text.split())
        assert f"{code} {name}" in text
        assert f"../codes/{code}.html" in linked
    assert CODES["TG006"].explanation.replace("`", "") in " ".join(Page.of(files["codes/TG006.html"]).text.split())


def test_a_code_in_a_text_links_to_its_page(files: dict[str, str]) -> None:
    linking = [path for path, text in files.items() if '"><code>TG' in text or '"><code>TL' in text]
    assert linking


def test_links_to_files_that_have_no_page_are_only_text(files: dict[str, str]) -> None:
    assert "test_escapes.py" not in "".join(Page.of(files["explanation/security.html"]).links)
    assert "<code>test_" in files["explanation/security.html"]


@pytest.mark.long
@needs_browser
@pytest.mark.xdist_group("browser")
def test_axe_finds_nothing_in_the_documentation(site: Path) -> None:
    pages = ("index.html", "tutorial/first-tool.html", "how-to/authoring/check-in-ci.html", "reference/specs.html")
    with browser() as driver:
        for page in (*pages, "explanation/search.html", "codes/index.html", "codes/TL101.html"):
            for width, dark in ((1280, False), (360, True)):
                show(driver, site / page, width=width, dark=dark)
                assert findings(driver) == [], page
                assert overflow(driver) <= 0, page
                assert console(driver) == [], page
