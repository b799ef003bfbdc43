"""Lines and blanks: one meaning in all that reads spec text, sources and output of programs."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.project.checkout import ROOT
from tests.unit.authoring.diff.repository import ORDERS, Project, git
from toolgen.authoring.diff.git import DiffError, Repository
from toolgen.authoring.format.format import formatted
from toolgen.authoring.text import comments_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.spec.text import line_end, line_starts, lines_of, whole_lines, with_line_end

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.source.nodes import Node

NO_BREAKS: Final = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""The characters at which `str.splitlines` ends a line, and nothing else does."""
NO_BLANKS: Final = "\x85\xa0\u2007\u2028\u2029\u3000"
"""Characters that `str.strip` removes, and YAML keeps."""


@settings(max_examples=300)
@given(st.text(alphabet=f"ab\n\r{NO_BREAKS}"))
def test_lines_are_those_of_universal_newlines(text: str) -> None:
    expected = list(StringIO(text, newline=""))
    assert whole_lines(text) == expected
    assert lines_of(text) == [line.rstrip("\r\n") for line in expected]
    assert [text[start : start + 1] for start in line_starts(text)][: len(expected)] == [line[:1] for line in expected]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\r\nb", "\r\n"),
        ("a\rb\n\rc", "\r"),
        ("a\nb\r\nc\r\n", "\r\n"),
        ("a\r\nb\nc", "\r\n"),
        ("a\nb\r\nc", "\n"),
    ],
)
def test_the_line_end_of_a_text_is_that_of_most_lines_or_of_the_first_one(text: str, end: str) -> None:
    assert line_end(text) == end
    assert with_line_end(text, end) == end.join(line.rstrip("\r\n") for line in whole_lines(text)) + (
        end if text.endswith(("\r", "\n")) else ""
    )


def test_no_text_is_split_in_another_way() -> None:
    """`bytes.splitlines` ends lines as `lines_of` does, but nobody sees which of both a call is."""
    named_in_a_comment = ROOT / "toolgen" / "spec" / "text.py"
    modules = [path for path in (ROOT / "toolgen").rglob("*.py") if path != named_in_a_comment]
    assert [str(path.relative_to(ROOT)) for path in modules if re.search(r"\bsplitlines\b", path.read_text())] == []


def root_of(text: str) -> Node:
    sink = Diagnostics()
    root = parse(text, "a.yaml", sink)
    assert root is not None, (text, list(sink))
    return root


@pytest.mark.parametrize("char", NO_BLANKS)
@pytest.mark.parametrize("style", ["|", ">", "|-", "|+"])
def test_a_value_ends_after_its_last_character(style: str, char: str) -> None:
    text = f"a: {style}\n  x\n  word{char}\n\nb: 1  # said{char}\n"
    root = root_of(text)
    node = root.at(["a"])
    assert node is not None
    assert text[node.start : node.end].endswith(f"word{char}")
    assert node.to_data().rstrip("\n") in (f"x\nword{char}", f"x word{char}")
    assert [comment.text for comment in comments_of(text)] == [f"# said{char}"]
    once = formatted("a.yaml", text, root)
    assert root_of(once).to_data() == root.to_data()
    assert [comment.text for comment in comments_of(once)] == [f"# said{char}"]
    assert formatted("a.yaml", once, root_of(once)) == once


def test_git_looks_into_folders_of_any_name(tmp_path: Path) -> None:
    name = f"{NO_BLANKS}\ra\r{NO_BREAKS}"
    project = Project(tmp_path / name)
    below = project.folder / name
    below.mkdir()
    (below / "toolgen.toml").write_text('targets = [{ specs = "specs", out = "generated" }]\n')
    (below / "specs").mkdir()
    (below / "specs/orders.yaml").write_text(ORDERS)
    first = project.commit()
    repository = Repository(below)
    assert repository.prefix == f"{name}/"
    [(_, content)] = repository.read([first], "specs/orders.yaml")
    assert content == ORDERS.encode()
    moved = [path for path in repository.state_files() if path.name == "HEAD" and path.is_file()]
    assert moved, "a commit is noticed by a file"
    repository.extract(first, ["specs"], tmp_path / "out")
    assert (tmp_path / "out/specs/orders.yaml").read_text() == ORDERS


def test_git_looks_up_no_name_with_a_line_feed(tmp_path: Path) -> None:
    """It reads one name a line, so the rest would be another name."""
    project = Project(tmp_path / "project")
    first = git(project.folder, "rev-parse", "HEAD").strip()
    with pytest.raises(DiffError, match=r"a\\nHEAD:specs has a line break"):
        Repository(project.folder).read([first], "a\nHEAD:specs")
