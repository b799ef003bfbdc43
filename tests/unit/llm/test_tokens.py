"""Tokens of texts: the figures of OpenAI's encoding, for texts of any length."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec

import pytest

from toolgen.llm import tokens
from toolgen.llm.tokens import token_counter

pytestmark = pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # in bpe-openai 0.1.4
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


@needs_tokenizer
def test_a_text_that_is_encoded_in_pieces_has_the_tokens_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    count, _ = token_counter()
    assert count is not None
    text = """{"description":"Don't find  it at 12:30 \\n, or: é天 (a b) ; 100 000 /  /x y"} """ * 40
    whole = count(text)
    monkeypatch.setattr(tokens, "_PIECE", 1)
    assert count(text) == whole

    monkeypatch.undo()
    assert count("a word " * 300_000) > 200_000
