"""Vectors without a model: parts of words, counted and hashed to a fixed length. They are the same on every machine."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from toolgen.search.words import words_of

LENGTH: Final = 1024
_PIECE: Final = 4


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """Return a vector for each text: the square roots of the counts of each part of four letters in its words."""
    return [_vector(text) for text in texts]


class HashedVectors:
    """The embedder. It records its inputs."""

    model = "hashed-pieces"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], /) -> list[list[float]]:
        self.asked += texts
        return vectors(texts)


def _vector(text: str) -> list[float]:
    vector = [0.0] * LENGTH
    pieces = Counter(piece for word in set(words_of(text)) for piece in _pieces(f" {word} "))
    for piece, often in pieces.items():
        vector[zlib.crc32(piece.encode("utf-8", "backslashreplace")) % LENGTH] += math.sqrt(often)
    return vector


def _pieces(word: str) -> list[str]:
    return [word[place : place + _PIECE] for place in range(max(1, len(word) - _PIECE + 1))]
