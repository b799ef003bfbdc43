"""Which characters are shown as they are, and where lines begin."""

from __future__ import annotations

import pytest

from toolgen.spec.text import is_hidden, line_starts, visible


@pytest.mark.parametrize(
    ("text", "starts"),
    [("", [0]), ("a", [0]), ("a\n", [0, 2]), ("a\r\nb\rc\n\nd", [0, 3, 5, 7, 8]), ("a\u2028\x85\x0b\x0cb", [0])],
)
def test_lines_end_with_lf_cr_lf_or_cr(text: str, starts: list[int]) -> None:
    assert line_starts(text) == starts


@pytest.mark.parametrize(
    "char",
    [*"\0\t\n\r\x1b\x7f\x85\xa0\xad", *"\u200b\u200d\u200e\u2028\u202e\u2066\u3164\ufeff\ud800\ue000\U000e0041\uffff"],
)
def test_control_and_invisible_characters_are_escaped(char: str) -> None:
    assert is_hidden(char)
    assert visible(char).isascii()
    assert visible(char).isprintable()


@pytest.mark.parametrize("char", "a é\u0301日😀\u3000\u00ff~\\")
def test_other_characters_are_unchanged(char: str) -> None:
    assert not is_hidden(char)
    assert visible(char) == char


def test_escapes_follow_yaml() -> None:
    assert visible("a\n\r\t\0\x1b\x85\u202e\U000e0041") == r"a\n\r\t\x00\x1b\x85\u202e\U000e0041"
