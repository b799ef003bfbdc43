"""Parsing an answer of a model: the calls, and the text for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.tags.bot import FACTS, learning, registry, tool
from tests.work import assert_linear
from toolgen.llm.tags import parse_response

if TYPE_CHECKING:
    from collections.abc import Callable

BOT = registry(tool("research"), tool("claim", strip_from_display=False), learning())


def calls(raw: str) -> list[tuple[str, str]]:
    return [(call.tool.name, call.raw_arg) for call in parse_response(raw, BOT).calls]


def test_tel_15_a_tag_is_a_complete_line() -> None:
    assert calls("Let me see.\nRESEARCH: foo") == [("research", "foo")]
    assert calls("xRESEARCH: foo") == []


@pytest.mark.parametrize(
    "raw",
    [
        "RESEARCH:foo",
        "RESEARCH :foo",
        "RESEARCH : foo",
        " RESEARCH: foo",
        "- RESEARCH: foo",
        "`RESEARCH: foo`",
        "Research: foo",
        "RESEARCHER: foo",
        "research: foo",
        "RESEARCH",
        "RESEARCH:",
        "RESEARCH:  \t ",
        "RESEARCH:\n foo",
        "RESEARCH:\r\n foo",
        "RESEARCH:\u00a0foo",
        "Write RESEARCH: foo",
        "RESEARCH\r: foo",
        "a\rRESEARCH: foo",
        "a\u2028RESEARCH: foo",
        "",
    ],
)
def test_tel_15_other_lines_are_text(raw: str) -> None:
    reply = parse_response(raw, BOT)
    assert (reply.calls, reply.display) == ((), raw)


@pytest.mark.parametrize(
    ("raw", "arg"),
    [
        ("RESEARCH: foo", "foo"),
        ("RESEARCH: \t  foo: bar", "foo: bar"),
        ("RESEARCH:\tfoo ", "foo "),
        ("RESEARCH: foo\r\nmore", "foo"),
        ("RESEARCH: foo\r", "foo"),
        ("RESEARCH: RESEARCH: foo", "RESEARCH: foo"),
        ("RESEARCH: a\u2028b\x0bc", "a\u2028b\x0bc"),
        ("\n\n\nRESEARCH: \u6f6e\n", "\u6f6e"),
    ],
)
def test_tel_15_the_arg_follows_the_blanks(raw: str, arg: str) -> None:
    assert calls(raw) == [("research", arg)]


def test_tel_15_a_tag_is_at_most_2_kb_long() -> None:
    longest = "RESEARCH: " + "x" * (2048 - 10)
    assert len(calls(f"{longest}\r\n")) == 1
    assert calls(f"{longest}x") == []
    assert calls("RESEARCH: " + "\u00e9" * 1024) == []  # two bytes each


def test_tel_16_the_groups_of_a_pattern_are_the_args_in_their_order() -> None:
    (call,) = parse_response("LEARNING: factual X is Y", BOT).calls
    assert (call.args, call.raw_arg) == ({"category": "factual", "content": "X is Y"}, "factual X is Y")
    assert calls("LEARNING: other X") == []
    assert calls("LEARNING: factual") == []


def test_tel_17_tags_are_sorted_by_tool_name_and_then_by_position() -> None:
    raw = "RESEARCH: one\nCLAIM: two\ntext\nRESEARCH: three\nLEARNING: factual four\nCLAIM: two"
    assert calls(raw) == [
        ("claim", "two"),
        ("claim", "two"),
        ("learning", "factual four"),
        ("research", "one"),
        ("research", "three"),
    ]


@pytest.mark.parametrize(
    ("raw", "display"),
    [
        ("Hello.\nRESEARCH: foo\nBye.", "Hello.\nBye."),
        ("Hello.\r\nRESEARCH: foo\r\nBye.\r\n", "Hello.\r\nBye.\r\n"),
        ("RESEARCH: foo", ""),
        ("RESEARCH: foo\nHello.", "Hello."),
        ("Hello.\nRESEARCH: foo", "Hello."),
        ("Hello.\nCLAIM: foo\nRESEARCH: foo\n", "Hello.\nCLAIM: foo\n"),
        ("LEARNING: other X\nRESEARCH:foo", "LEARNING: other X\nRESEARCH:foo"),
    ],
)
def test_tel_19_calling_lines_are_stripped_if_the_tool_requests_it(raw: str, display: str) -> None:
    assert parse_response(raw, BOT).display == display


LINES = st.lists(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["RESEARCH:", "CLAIM:", "LEARNING:", "x", ""]),
        st.sampled_from([" ", "\t", "  ", ""]),
        st.one_of(st.sampled_from(["factual a", "factual  b c", "other d"]), st.text("ab \t:\r\u2028", max_size=6)),
    )
).map("\n".join)


@given(LINES)
def test_tel_15_tel_16_lines_match_exactly_like_the_expression(raw: str) -> None:
    expected: list[tuple[str, tuple[str, ...]]] = []
    for name, pattern in (("claim", "(.+)"), ("learning", FACTS), ("research", "(.+)")):
        # `++` does not backtrack; each line is matched separately, so that `\s` cannot leave it
        expression = re.compile(rf"{name.upper()}:[ \t]++{pattern}")
        found = [expression.fullmatch(line.removesuffix("\r")) for line in raw.split("\n")]
        expected += [(name, match.groups()) for match in found if match]
    reply = parse_response(raw, BOT)
    assert [(call.tool.name, tuple(call.args.values())) for call in reply.calls] == expected
    kept = len(raw.split("\n")) - sum(name != "claim" for name, _ in expected)
    assert len(reply.display.split("\n")) == max(kept, 1)


@given(LINES)
def test_tel_19_the_remaining_text_consists_of_unstripped_lines(raw: str) -> None:
    lines = [line for line in raw.split("\n") if not is_stripped(line)]
    assert parse_response(raw, BOT).display == "\n".join(lines)


def is_stripped(line: str) -> bool:
    return any(call.tool.strip_from_display for call in parse_response(line, BOT).calls)


@pytest.mark.parametrize(
    "line", ["\n", "a: b\n", "RESEARCH:\n", "RESEARCH:x\n", "RESEARCHER: x\n", "\r\n", ": \n", "x"]
)
def test_tel_15_an_answer_is_read_in_time_in_proportion_to_its_length(line: str) -> None:
    """Up to ten megabytes, whatever its lines look like, and whether they are many or one."""

    def work(size: int) -> Callable[[], object]:
        raw = line * (size // len(line))
        return lambda: parse_response(raw, BOT)

    raw = line * (10_000_000 // len(line))
    reply = parse_response(raw, BOT)
    assert (reply.calls, reply.display) == ((), raw)
    assert_linear(work, len(raw) // 4)
