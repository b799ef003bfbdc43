"""Tokens of texts: the figures of OpenAI's encoding, for texts of any length."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.llm import costs
from toolgen.llm.costs import token_counter

needs_tokenizer = pytest.mark.skipif(find_spec("bpe_openai") is None, reason="the extra `tokens` is not installed")


@needs_tokenizer
def test_tokens_are_counted_with_o200k_base_without_network_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are those of tiktoken 0.14, whose vocabulary has the same digest."""

    def refuse(*_args: object) -> None:
        raise AssertionError("a connection is made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    count, _ = token_counter()
    assert count is not None
    texts = ("", "hello world", "antidisestablishmentarianism", '{"type":"object"}', "天気予報")
    assert [count(text) for text in texts] == [0, 2, 6, 5, 4]


def test_no_tokens_are_reported_without_a_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    count, why_not = token_counter()
    assert count is None
    assert why_not == 'bpe-openai is not installed: pip install "toolgen[tokens]"'


PIECES = st.sampled_from(
    [
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "a",
        "Word",
        "don't",
        "1",
        "2345",
        "/",
        ".",
        "!?",
        "(",
        "é",
        "天",
        "😀",
        "\u0301",
        "ﬁ",
        "\u00a0",
    ]
)
"""What the pattern of the encoding treats alike, in every order."""


@needs_tokenizer
@given(st.lists(PIECES, max_size=40).map("".join))
def test_a_text_that_is_encoded_in_pieces_has_the_tokens_of_the_whole(text: str) -> None:
    count, _ = token_counter()
    assert count is not None
    whole = count(text)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(costs, "_PIECE", 1)
        assert count(text) == whole


@needs_tokenizer
@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("a word " * 300_000, True),
        ("ab\n" * 400_000, True),
        ("a1" * 600_000, True),
        ("x" * 100_000, True),
        ("x" * 1_200_000, False),
        ("天" * 600_000, False),
        (" " * 1_200_000, False),
        ("a word " + "!" * 1_200_000 + " and more", False),
    ],
    ids=lambda value: repr(value[:8]) if isinstance(value, str) else None,
)
def test_a_text_of_any_length_is_counted_or_not_but_never_an_error(text: str, counted: bool) -> None:
    count, _ = token_counter()
    assert count is not None
    assert (count(text) is not None) == counted
