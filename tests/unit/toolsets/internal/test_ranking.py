"""Ranking by words: its results and their quality, on texts not written for it."""

from __future__ import annotations

import importlib
import inspect
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.toolsets.internal.memory import best

NOTES = [
    "Ann likes her coffee black. She works from Oslo.",
    "Deploys run on Tuesdays; the pipeline is in deploy.yml.",
    "The staging database is reset every night.",
    "Ben is on call in December.",
    "データベースは毎晩リセットされます。",
    "部署在星期二进行。",
    "The library policies are reviewed in a class every six months, by the boxes.",
]

MODULES = """
    argparse ast asyncio base64 bisect calendar codecs collections configparser contextlib copy csv datetime decimal dis
    email.utils enum fnmatch fractions functools gc gettext glob hashlib heapq hmac html http.client inspect itertools
    json locale logging math mimetypes os pathlib pprint queue random re sched secrets shutil socket sqlite3 ssl
    statistics string struct subprocess tarfile tempfile textwrap threading traceback types unittest.mock urllib.parse
    uuid weakref zipfile
"""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what coffee does Ann drink", 0),
        ("deploy pipeline", 1),
        ("DATABASE reset", 2),
        ("who is on call", 3),
        ("データベース", 4),
        ("毎晩", 4),
        ("星期二部署", 5),
        ("policy", 6),
        ("box", 6),
        ("classes", 6),
        ("month", 6),
        ("ｃｏｆｆｅｅ", 0),  # noqa: RUF001  # full-width letters, as typed on some keyboards
    ],
)
def test_the_intended_note_comes_first(query: str, found: int) -> None:
    assert best(query, NOTES, 3)[0] == found


def test_texts_without_a_common_word_are_not_found() -> None:
    assert best("quantum", NOTES, 5) == []
    assert best("?!", NOTES, 5) == []
    assert best("coffee", [], 5) == []
    assert best("coffee", ["", "  "], 5) == []


def test_texts_that_share_only_frequent_words_are_left_out() -> None:
    assert best("which Postgres do we use", ["we sing", "we use Postgres", "we have lunch", "they ski"], 5) == [1]


def test_rare_words_count_more_and_long_texts_less() -> None:
    assert best("blue key", ["blue blue sky", "blue sea", "a key", "blue paint"], 1) == [2]
    assert best("key", ["key " + "and many other things " * 50, "the key"], 1) == [1]


@given(
    st.lists(st.text(alphabet="ab c", max_size=20), max_size=8), st.text(alphabet="ab c", max_size=8), st.integers(0, 9)
)
def test_found_texts_share_a_word_and_are_unique(texts: list[str], query: str, count: int) -> None:
    found = best(query, texts, count)
    assert len(set(found)) == len(found) <= count
    assert all(set(query.split()) & set(texts[place].split()) for place in found)
    if count and any(set(query.split()) & set(text.split()) for text in texts):
        assert found


@pytest.mark.long
def test_ranking_finds_more_docstrings_than_counting_common_words() -> None:
    queries, texts = docstrings(120)
    sets = [set(re.findall(r"\w+", text.casefold())) for text in texts]

    def by_common_words(query: str) -> list[int]:
        words = set(re.findall(r"\w+", query.casefold()))
        return sorted(range(len(texts)), key=lambda place: -len(words & sets[place]))[:5]

    found = sum(place in best(query, texts, 5) for place, query in enumerate(queries))
    found_by_counting = sum(place in by_common_words(query) for place, query in enumerate(queries))
    assert found >= 0.65 * len(texts)
    assert found >= 1.15 * found_by_counting


def docstrings(number: int) -> tuple[list[str], list[str]]:
    """Return first lines of docstrings in Python's standard library, and their remaining text."""
    heads: dict[str, str] = {}
    for module in map(importlib.import_module, MODULES.split()):
        for name, value in sorted(vars(module).items()):
            text = inspect.getdoc(value) if callable(value) and not name.startswith("_") else None
            head, _, body = (text or "").partition("\n\n")
            head = " ".join(head.split())
            if 25 <= len(head) <= 200 and len(body) >= 120:
                heads.setdefault(body[:2000], head)
    pairs = list(heads.items())
    Random(1).shuffle(pairs)
    return [head for _, head in pairs[:number]], [body for body, _ in pairs[:number]]
