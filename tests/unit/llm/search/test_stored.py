"""Stored indexes: other layouts and rewritten files are rejected, and unusual words read back equal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.llm.search.worlds import TOOLS, document
from toolgen.llm.search.index import SearchIndex
from toolgen.search.documents import write_index
from toolgen.spec.derived import catalog_mark

TEXT = write_index(TOOLS, catalog_mark(b""))


def edited(**changes: Any) -> str:
    """Return the index with changed parts in the layout of a build, but with the original digest."""
    index = {**json.loads(TEXT), **changes}
    start = "\n".join(TEXT.split("\n", 2)[:2])
    head = "".join(f"{json.dumps(key)}: {json.dumps(index[key])},\n" for key in ("keys", "digests", "lengths"))
    words = ",\n".join(f"{json.dumps(word)}: {json.dumps(places)}" for word, places in index["words"].items())
    return f'{start}\n{head}"words": {{\n{words}\n}}}}\n'


@pytest.mark.parametrize(
    "text",
    [
        TEXT[: len(TEXT) // 2],
        TEXT[: len(TEXT) // 2] + "\n}}\n",
        TEXT.replace('": [', '":['),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace('"sha256"', '"version": 3,\n"sha256"'),
        TEXT.replace('"keys"', '"key"'),
        TEXT.replace('"messag"', '<<<<<<< HEAD\n"messag"'),
        "\ufeff" + TEXT,
        '[1,\n"words": {\n\n}}\n',
        edited(keys=None),
        edited(keys=[*json.loads(TEXT)["keys"], "ghost.tool"]),
        edited(lengths=[1]),
        edited(lengths=["a"] * len(TOOLS)),
        edited(lengths=[10**400] * len(TOOLS)),
        edited(digests=["0" * 16] * len(TOOLS)),
        edited(words={"messag": [0, 2, 1]}),
    ],
)
def test_a_truncated_edited_or_merged_file_is_rejected(text: str) -> None:
    assert SearchIndex.load(text.encode()) is None


@pytest.mark.parametrize("text", ["", "{}", json.dumps(json.loads(TEXT), indent=1)])
def test_a_file_in_another_layout_is_rejected(text: str) -> None:
    assert SearchIndex.load(text.encode()) is None


def test_words_of_other_scripts_read_back_equal() -> None:
    stored = SearchIndex.load(write_index([document("a", "天気 заказ")], catalog_mark(b"")).encode())
    assert stored is not None
    assert [hit.key for hit in stored.search("заказ", 1)] == ["a"]
    assert [hit.key for hit in stored.search("天気", 1)] == ["a"]


def test_an_empty_index_is_read() -> None:
    stored = SearchIndex.load(write_index([], catalog_mark(b"")).encode())
    assert stored is not None
    assert len(stored) == 0
    assert stored.search("x", 1) == ()
