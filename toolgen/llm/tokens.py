"""Tokens: how many a text takes, where a tokenizer is installed."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENCODING: Final = "o200k_base"
"""The tiktoken encoding of OpenAI's models since GPT-4o. Other models' counts differ."""

_PIECE: Final = 50_000
"""Characters that are encoded at once: bpe-openai refuses a text of a million, or of 200,000 tokens."""

_BREAK: Final = re.compile(r"(?<=\S)(?= [A-Za-z])|(?<=\n)(?=[A-Za-z0-9])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
"""Where a text can be cut without changing its tokens: the pattern of the encoding lets no token go on across it."""


def token_counter() -> tuple[Callable[[str], int | None] | None, str]:
    """Return what counts the tokens of a text, or why nothing does: an estimate would pass for a count.

    It returns None for a text that cannot be counted, because some 200,000 characters and more of it are one word.
    bpe-openai counts as OpenAI's own tiktoken does, which would have to fetch the vocabulary when it first counts.
    """
    try:
        tokenizer: Any = import_module("bpe_openai")
    except ImportError:
        return None, 'bpe-openai is not installed: pip install "toolgen[tokens]"'
    encoding = tokenizer.get_encoding(ENCODING)

    def count(text: str) -> int | None:
        try:
            return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))
        except ValueError:  # a piece is too long
            return None

    return count, ""


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while found := _BREAK.search(text, start + _PIECE):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]
