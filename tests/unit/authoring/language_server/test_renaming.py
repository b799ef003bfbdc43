"""New names: what policies and agents select is the same tools as before, or the name is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.authoring.language_server.navigation import RenameRefused, renamed
from toolgen.authoring.language_server.symbols import Kind
from toolgen.authoring.language_server.workspace import Index, Project

if TYPE_CHECKING:
    from pathlib import Path

NOTES = "toolgen: 1\ntoolset: team.notes\ntools:\n  nope: {description: A tool.}\n  read: {description: A tool.}\n"
OTHER = "toolgen: 1\ntoolset: team.other\ntools:\n  nope: {description: A tool.}\n"
POLICY = "toolgen: 1\npolicy: own\nrules: {%s: deny}\n"
AGENT = "toolgen: 1\nagent: main\nuse: [%s]\n"


def after(folder: Path, selector: str, kind: Kind, name: str, new: str) -> list[str]:
    """Rename in a project whose policy and agent have a selector; return what they have then."""
    files = {
        "specs/notes.yaml": NOTES,
        "specs/other.yaml": OTHER,
        "specs/own.yaml": POLICY % selector,
        "specs/main.yaml": AGENT % selector,
    }
    (folder / "specs").mkdir()
    for path, text in files.items():
        (folder / path).write_text(text)
    project = Project(folder, {})
    index = Index.of(project.files(project.config().targets[0]))
    edits = renamed(index, index.symbols[kind, name], new)
    for place, text in sorted(edits, key=lambda edit: -edit[0].start):
        old = files[place.path]
        files[place.path] = old[: place.start] + text + old[place.end :]
    policy, agent = files["specs/own.yaml"], files["specs/main.yaml"]
    return [policy.partition("{")[2].partition(":")[0], agent.partition("[")[2].partition("]")[0]]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team.notes.nope", "team.notes.dont"),
        ("team__notes__nope", "team__notes__dont"),
        ("team.notes.nope+write", "team.notes.dont+write"),
        ("team.notes.read", "team.notes.read"),
        ("team__other__nope", "team__other__nope"),
        ("team.notes", "team.notes"),
        ("team.notes.*", "team.notes.*"),
        ("team.other.n*", "team.other.n*"),
        ("'*'", "'*'"),
    ],
)
def test_a_tool_is_renamed_wherever_it_is_selected(selector: str, expected: str, tmp_path: Path) -> None:
    assert after(tmp_path, selector, Kind.TOOL, "team.notes.nope", "dont") == [expected, expected]


@pytest.mark.parametrize("selector", ["'*.nope'", "team.notes.n*", "team.notes.do*", "team.*.nope"])
def test_a_tool_that_a_pattern_would_select_or_lose_is_not_renamed(selector: str, tmp_path: Path) -> None:
    with pytest.raises(RenameRefused, match=r"in specs/(own|main)\.yaml .*: change it first"):
        after(tmp_path, selector, Kind.TOOL, "team.notes.nope", "dont")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team.notes", "team.pages"),
        ("team.notes.nope", "team.pages.nope"),
        ("team__notes__nope", "team__pages__nope"),
        ("team.notes.*", "team.pages.*"),
        ("team.notes.n*", "team.pages.n*"),
        ("team.other.*", "team.other.*"),
        ("team.*", "team.*"),
        ("'*.nope'", "'*.nope'"),
    ],
)
def test_a_toolset_is_renamed_wherever_its_tools_are_selected(selector: str, expected: str, tmp_path: Path) -> None:
    assert after(tmp_path, selector, Kind.TOOLSET, "team.notes", "team.pages") == [expected, expected]


@pytest.mark.parametrize(("selector", "new"), [("team.*", "crew.notes"), ("team.p*", "team.pages")])
def test_a_toolset_whose_tools_a_pattern_would_select_or_lose_is_not_renamed(
    selector: str, new: str, tmp_path: Path
) -> None:
    with pytest.raises(RenameRefused, match="change it first"):
        after(tmp_path, selector, Kind.TOOLSET, "team.notes", new)
