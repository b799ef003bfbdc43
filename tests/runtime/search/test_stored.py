"""Stored indexes: other versions and rewritten files are left alone, and odd words are read back."""

from __future__ import annotations

import json

import pytest

from tests.runtime.search.worlds import TOOLS, document
from toolgen.contract.search.index_text import write_index
from toolgen.runtime.search.index import Index

TEXT = write_index(TOOLS)


def test_a_file_of_another_version_is_not_read() -> None:
    assert Index.load(TEXT.replace('"version": 1', '"version": 2').encode()) is None


@pytest.mark.parametrize("text", ["", "{}", json.dumps(json.loads(TEXT), indent=1)])
def test_a_file_that_is_laid_out_otherwise_is_not_read(text: str) -> None:
    assert Index.load(text.encode()) is None


def test_words_of_other_scripts_are_read_back() -> None:
    stored = Index.load(write_index([document("a", "天気 заказ")]).encode())
    assert stored is not None
    assert [hit.key for hit in stored.search("заказ", 1)] == ["a"]
    assert [hit.key for hit in stored.search("天気", 1)] == ["a"]


def test_an_index_of_nothing_is_read() -> None:
    stored = Index.load(write_index([]).encode())
    assert stored is not None
    assert len(stored) == 0
    assert stored.search("x", 1) == ()
