"""The index as text: the same bytes for the same documents, valid JSON, one word a line."""

from __future__ import annotations

import hashlib
import json

from toolgen.search.documents import SearchDocument, write_index
from toolgen.spec.derived import catalog_mark

DOCUMENTS = [
    SearchDocument(key="b.send", names=("b.send",), description="Send a café message."),
    SearchDocument(key="a.list", names=("a.list",), description='List "messages".', tags=("readonly",)),
]


def test_the_text_is_json_with_a_word_on_each_line() -> None:
    text = write_index(DOCUMENTS, catalog_mark(b""))
    index = json.loads(text)
    assert index["keys"] == ["a.list", "b.send"]
    assert index["lengths"] == [7, 10]
    assert index["digests"] == [DOCUMENTS[1].digest, DOCUMENTS[0].digest]
    assert index["words"]["messag"] == [0, 2, 1, 2]
    assert '\n"messag": [0,2,1,2],\n' in text
    assert list(index["words"]) == sorted(index["words"])
    assert text.isascii()


def test_the_digest_covers_the_rest_of_the_text() -> None:
    text = write_index(DOCUMENTS, catalog_mark(b""))
    digest, covered = text.split("\n", 1)
    assert json.loads(f"{digest[:-1]}}}") == {"sha256": hashlib.sha256(covered.encode()).hexdigest()}


def test_the_order_of_documents_does_not_matter() -> None:
    many = [SearchDocument(key=f"k{number}", names=(f"tool {number}",)) for number in range(50)]
    assert (
        write_index(many, catalog_mark(b""))
        == write_index(reversed(many), catalog_mark(b""))
        == write_index(many[25:] + many[:25], catalog_mark(b""))
    )


def test_an_empty_index_is_valid() -> None:
    assert json.loads(write_index([], catalog_mark(b"")))["words"] == {}
