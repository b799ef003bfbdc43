"""`toolgen docs` as a user runs it, with the history of a repository."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.diff.repository import ORDERS, Project, git
from tests.unit.authoring.site.html_page import Page, broken_links
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def site_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.suffix in (".html", ".js", ".css")
    }


def text_of(files: dict[str, str], path: str) -> str:
    return " ".join(Page.of(files[path]).text.split())


def test_a_site_has_the_history_of_each_tool_by_the_rules_of_diff(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.edit(("maximum: 50", "maximum: 20"), ("Find orders.", "Find the orders."))
    git(tmp_path, "commit", "-qam", "Fewer at once </title><script>")
    project.write(ORDERS + "  [")
    git(tmp_path, "commit", "-qam", "Broken")
    (tmp_path / "README.md").write_text("Not about specs.")
    project.commit()
    project.edit(("readonly", "write"))
    done = toolgen(tmp_path, "docs")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("site/index.html: ")
    files = site_in(tmp_path / "site")
    assert [*broken_links(files)] == []
    changes = text_of(files, "changes.html")
    newest, broken, fewer, first = (
        changes.index(word) for word in ("Not committed", "Broken", "Fewer at once </title><script>", "the tool is new")
    )
    assert newest < broken < fewer < first
    assert "It was not compared: the specs of the commit" in changes
    tool = text_of(files, "tools/shop.orders.find.html")
    history = tool[tool.rindex("Not committed") :]
    assert "ROUTE201" in history
    assert "WIRE" in history
    assert "MODEL" in history
    date = git(tmp_path, "log", "-1", "--format=%cs").strip()
    assert date in history
    assert "Not committed" in text_of(files, "index.html")


def test_the_number_of_commits_is_a_choice(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for text in ("One.", "Two.", "Three."):
        project.edit(("Find orders.", text))
        git(tmp_path, "commit", "-qam", f"Says {text}")
    assert toolgen(tmp_path, "docs", "--history", "2").code == 0
    changes = text_of(site_in(tmp_path / "site"), "changes.html")
    assert "Says Three." in changes
    assert "Says Two." in changes
    assert "Says One." not in changes
    assert toolgen(tmp_path, "docs", "--history", "0", "-o", "other").code == 0
    assert "changes.html" not in site_in(tmp_path / "other")


def test_only_settings_of_toolgen_count_in_a_pyproject(tmp_path: Path) -> None:
    project = Project(tmp_path)
    settings = '[project]\nname = "{}"\n[[tool.toolgen.targets]]\nspecs = "specs"\nout = "generated"\nbuiltin = {}\n'
    for name, builtin in (("a", "[]"), ("b", "[]"), ("c", '["code"]')):
        project.write(settings.format(name, builtin), "pyproject.toml")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "-qm", f"Name {name}")
    project.edit(("Find orders.", "Find."))
    git(tmp_path, "commit", "-qam", "Other words")
    assert toolgen(tmp_path, "docs", "--history", "2").code == 0
    changes = text_of(site_in(tmp_path / "site"), "changes.html")
    assert "Other words" in changes
    assert "Name c" in changes
    assert "Name b" not in changes


def test_two_runs_write_the_same_site(tmp_path: Path) -> None:
    Project(tmp_path)
    assert toolgen(tmp_path, "docs", "-o", "one").code == 0
    assert toolgen(tmp_path, "docs", "-o", "two").code == 0
    assert site_in(tmp_path / "one") == site_in(tmp_path / "two")
    assert toolgen(tmp_path, "docs", "-o", "one").code == 0
    assert site_in(tmp_path / "one") == site_in(tmp_path / "two")


def test_a_project_in_no_repository_has_no_history(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "orders.yaml").write_text(ORDERS)
    done = toolgen(tmp_path, "docs")
    assert done.code == 0
    assert "changes.html" not in site_in(tmp_path / "site")
    assert done.err == "without history: the project is in no git repository with commits\n"


def test_specs_with_errors_and_folders_of_others_are_refused(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(ORDERS + "  [")
    done = toolgen(tmp_path, "docs")
    assert done.code == 1
    assert "TG003" in done.err
    assert not (tmp_path / "site").exists()
    project.write(ORDERS)
    refused = toolgen(tmp_path, "docs", "-o", "specs")
    assert refused.code == 2
    assert "specs has files that are not of a site: orders.yaml" in refused.err
    assert (tmp_path / "specs" / "orders.yaml").read_text() == ORDERS
