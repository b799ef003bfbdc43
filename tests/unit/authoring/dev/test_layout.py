"""Layout: sections in the lines of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from toolgen.authoring.dev.terminal import Section, lay_out

SECTIONS = st.builds(
    lambda title, items: Section(Text(title), tuple(map(Text, items))),
    st.text("ab 漢é", max_size=60),
    st.lists(st.text("abcdef 漢é", max_size=200), max_size=30),
)


def section(title: str, count: int) -> Section:
    return Section(Text(title), tuple(Text(f"{title} {number}") for number in range(count)))


def shown(*counts: int, height: int, width: int = 40) -> list[str]:
    sections = [section(name, count) for name, count in zip("pcs", counts, strict=True)]
    return [line.plain for line in lay_out(section("header", 1), sections, width, height)]


@given(st.integers(1, 120), st.integers(1, 60), SECTIONS, st.tuples(SECTIONS, SECTIONS, SECTIONS))
def test_a_page_fits_any_terminal(width: int, height: int, header: Section, sections: tuple[Section, ...]) -> None:
    lines = lay_out(header, sections, width, height)
    assert len(lines) <= height
    # A character of two columns cannot be shown in one.
    assert all(line.cell_len <= max(2, width) for line in lines)


def test_what_fits_is_shown_whole() -> None:
    assert shown(2, 1, 1, height=13) == [
        *("header", "header 0", "", "p", "p 0", "p 1", "", "c", "c 0", "", "s", "s 0"),
    ]  # fmt: skip


def test_the_rest_is_counted_and_problems_get_half_of_the_lines() -> None:
    lines = shown(99, 99, 99, height=42)
    problems, changes, surface = (lines.index(name) for name in "pcs")
    assert len(lines) == 42
    assert (changes - problems, surface - changes, len(lines) - surface) == (20, 10, 9)
    assert lines[changes - 2] == "… and 82 more"
    assert lines[-1] == "… and 92 more"


def test_lines_that_a_section_does_not_need_go_to_the_others() -> None:
    lines = shown(1, 99, 1, height=42)
    assert "s 0" in lines
    assert "c 28" in lines


def test_a_long_item_takes_up_to_three_lines_and_a_title_too() -> None:
    text = "error[TG201] specs/orders.yaml:8: " + "there is no type " * 20
    sections = [Section(Text(text), (Text(text),)), section("x", 0), section("y", 0)]
    _, _, title, *lines = lay_out(Section(Text("h"), ()), sections, 40, 20)
    assert title.plain.strip() == "error[TG201] specs/orders.yaml:8:"
    assert [line.plain[:2] for line in lines[:5]] == ["  ", "  ", "er", "  ", "  "]
    assert lines[4].plain.endswith("…")
    assert max(line.cell_len for line in lines) <= 40


@pytest.mark.parametrize("height", range(1, 9))
def test_a_terminal_of_few_lines_shows_the_first(height: int) -> None:
    lines = shown(9, 9, 9, height=height)
    assert lines[:2] == ["header", "header 0"][:height]
    assert len(lines) == height
