"""Words: names are split, scripts keep their words, and any text is accepted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.search.words import values_of, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("orders.list_open-orders", ["order", "list", "open", "order"]),
        ("getHTTPStatus_2", ["get", "http", "statu", "2"]),
        ("WiFi", ["wi", "fi", "wifi"]),
        ("OAuth2", ["o", "auth", "2", "oauth"]),
        ("IPv6", ["pv", "6", "ipv"]),
        ("S3", ["s", "3", "s3"]),
        ("What is the user's email?", ["user", "email"]),
        ("I don\u2019t want it", []),
        ("naïve Café", ["naiv", "cafe"]),
        ("Straße", ["strass"]),
        ("заказы", ["заказы"]),
        ("取得する", ["取得", "得す", "する"]),
        ("雨", ["雨"]),
        ("カメラcamera", ["カメ", "メラ", "camera"]),
        ("\uff46\uff55\uff4c\uff4c width", ["full", "width"]),
        ('"NEAR(a, b)" OR name:* AND -x', ["near", "b", "name", "x"]),
        ("\x00\ud800 ok", ["ok"]),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_words_of_any_text_are_not_empty(text: str) -> None:
    assert all(words_of(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Flights from Denver at 7.30", {"denver", "7", "30"}),
        ("What does FB001 say?", {"fb", "001", "fb001"}),
        ("Find Ann. Then call her. Who? Bob", {"ann"}),
        ("the IBM share, and GetUserInfo, and iPhone", set()),
        ('"Oslo" is first', set()),
        ("In Oslo, near the oslo bay", set()),
        ("", set()),
    ],
)
def test_values_are_numbers_and_names_with_a_capital_inside_a_sentence(text: str, values: set[str]) -> None:
    assert values_of(text) == values
