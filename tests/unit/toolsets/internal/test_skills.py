"""Skills: which are loaded, and which files stay private."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.internal import LONGEST, Skill, Skills

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder of skills with links and special files, and a secret beside it."""
    skills = tmp_path / "skills"
    for name in ("release-notes", "code-review", ".hidden", "empty"):
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(f"How to do {name}.\n")
    (skills / "empty" / "SKILL.md").unlink()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "SKILL.md").write_text("secret")
    (skills / "SKILL.md").write_text("secret")
    (skills / "linked").symlink_to(tmp_path / "outside")
    (skills / "half-linked").mkdir()
    (skills / "half-linked" / "SKILL.md").symlink_to(tmp_path / "outside" / "SKILL.md")
    (skills / "folder" / "SKILL.md").mkdir(parents=True)
    (skills / "plain.md").write_text("secret")
    return tmp_path


def failure(skills: Skills, name: str) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        skills.load(name)
    assert caught.value.kind is FailureKind.DOMAIN_REJECTION
    return caught.value


def test_a_skill_is_loaded_by_its_name(home: Path) -> None:
    skills = Skills(home / "skills")
    assert skills.names() == ["code-review", "release-notes"]
    assert skills.load("code-review") == Skill(name="code-review", instructions="How to do code-review.\n")


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "",
        "/",
        "../outside",
        "../skills/code-review",
        "code-review/../../outside",
        "code-review/",
        "./code-review",
        "~/skills",
        "linked",
        "half-linked",
        "folder",
        "empty",
        ".hidden",
        "plain.md",
        "CODE-REVIEW",
        "code-review\0",
        "code-review\n",
        "a" * 300,
        "\ud800",
        "{outside}",
    ],
)
def test_a_name_can_only_load_a_skill(home: Path, name: str) -> None:
    found = failure(Skills(home / "skills"), name.format(outside=home / "outside"))
    assert (found.code, found.message) == ("skill_not_found", "there is no skill with that name")
    assert str(home) not in found.hint


def test_similar_names_are_suggested_and_otherwise_all_are_listed(home: Path) -> None:
    skills = Skills(home / "skills")
    assert failure(skills, "code_review").hint == "did you mean code-review?"
    assert failure(skills, "zzz").hint == "there are code-review, release-notes"
    assert failure(Skills(home / "nothing"), "code-review").hint == "there are none"


def test_a_long_skill_is_refused_instead_of_truncated(home: Path) -> None:
    file = home / "skills" / "code-review" / "SKILL.md"
    file.write_text("x" * LONGEST)
    assert len(Skills(home / "skills").load("code-review").instructions) == LONGEST
    file.write_text("x" * (LONGEST + 1))
    found = failure(Skills(home / "skills"), "code-review")
    assert (found.code, found.message) == (
        "skill_too_large",
        "the skill 'code-review' is longer than 32768 bytes",
    )


def test_a_skill_is_read_as_text(home: Path) -> None:
    (home / "skills" / "code-review" / "SKILL.md").write_bytes(b"\xef\xbb\xbfCaf\xe9: ok")
    assert Skills(home / "skills").load("code-review").instructions == "Caf\ufffd: ok"


def test_the_folder_itself_may_be_a_link(home: Path) -> None:
    (home / "link").symlink_to(home / "skills")
    assert Skills(home / "link").load("code-review").name == "code-review"
