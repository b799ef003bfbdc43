"""Names in specs become modules and folders: one that is too long for any file system is an error at its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.resolve.toolsets.tools import types_module

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 255
"""Bytes of a name in the file systems in use, of Linux, macOS and Windows alike."""

NAMES = st.builds(
    lambda parts, times, end: f"{''.join(parts) * times}{end}"[:200],
    st.lists(st.sampled_from(["oA", "o", "A", "aB1", "x_", "Zz-"]), min_size=1, max_size=3),
    st.integers(1, 100),
    st.sampled_from(["", "o", "A"]),
)
AT_MOST = f"{'oA' * 83}o"
"""A name of which the module is as long as it may be."""


@given(tool=NAMES, owner=NAMES, last=NAMES)
@example(tool="oA" * 100, owner="o", last="o")
@example(tool="o", owner="oA" * 99, last="o")
@example(tool=AT_MOST, owner="o", last="o")
def test_a_name_that_is_accepted_has_a_file(tool: str, owner: str, last: str) -> None:
    found = resolved(toolset({tool: {}}, name=f"{owner}.{last}"[:200].rstrip(".-_")))
    if found.has_errors:
        return
    [made] = found.catalog.toolsets
    files = [*made.package, *(f"{types_module(each.names)}.py" for each in made.tools)]
    assert max(len(name.encode()) for name in files) <= LONGEST


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"toolset: shop\ntools: {{{AT_MOST}A: {{description: A.}}}}", "a.yaml:2:9"),
        (f"toolset: shop.{'oA' * 90}\ntools: {{}}", "a.yaml:1:10"),
        (f"agent: {'oA' * 90}.clerk\ndescription: A.", "a.yaml:1:8"),
    ],
    ids=["tool", "toolset", "agent"],
)
def test_a_name_that_no_file_can_have_is_an_error_where_it_is_written(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text(f"{text}\ntoolgen: 1\n", encoding="utf-8")
    for options in ([], ["--check"]):
        done = toolgen(tmp_path, "build", *options)
        assert done.code == 1
        assert re.findall(r"error\[(.*?)\]|--> specs/(\S+)", done.err) == [("TG105", ""), ("", place)]
        assert "no longer, with `_` between its words, than 250" in done.err


def test_the_longest_name_is_built(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    text = f"toolgen: 1\ntoolset: shop.{AT_MOST}\ntools: {{{AT_MOST}: {{description: A.}}}}\n"
    (tmp_path / "specs" / "a.yaml").write_text(text, encoding="utf-8")
    done = toolgen(tmp_path, "build")
    assert done.code == 0, done.err
    assert toolgen(tmp_path, "build", "--check").code == 0
