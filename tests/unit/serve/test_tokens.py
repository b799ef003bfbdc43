from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from toolgen.serve.tokens import Tokens, TokensError

if TYPE_CHECKING:
    from pathlib import Path

LONG = "0123456789abcdef"


def test_each_token_has_its_user_and_no_other_has_any() -> None:
    tokens = Tokens({"ana": LONG, "bo": [f"{LONG}1", f"{LONG}2"]})
    assert [tokens(each) for each in (LONG, f"{LONG}1", f"{LONG}2")] == ["ana", "bo", "bo"]
    assert [tokens(each) for each in ("", LONG[:-1], f"{LONG}3", f" {LONG}", "\udcff" * 16)] == [None] * 5


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ({}, "there is no token"),
        ({"ana": []}, "there is no token"),
        ({"ana": LONG[:-1]}, "a token of ana is no word of at least 16"),
        ({"ana": f"{LONG} {LONG}"}, "a token of ana is no word"),
        ({"ana": LONG, "bo": LONG}, "a token of bo is also the token of another user"),
    ],
)
def test_tokens_that_cannot_be_used_are_refused_without_being_shown(tokens: dict[str, str], said: str) -> None:
    with pytest.raises(TokensError, match=said) as refused:
        Tokens(tokens)
    assert LONG not in str(refused.value)


def test_a_file_of_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({"ana": LONG}))
    file.chmod(0o600)
    assert Tokens.from_file(file)(LONG) == "ana"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({"ana": LONG}))
    file.chmod(mode)
    with pytest.raises(TokensError, match="can be read by others: `chmod 600"):
        Tokens.from_file(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "must hold an object"),
        ('{"ana": 1}', "must hold an object"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        (
            f'{{"ana": "{LONG}", "ana": "{LONG}x"}}',
            "`ana` is there twice",
        ),
        (f'{{"": "{LONG}"}}', "a token has no user"),
    ],
)
def test_a_file_that_holds_no_tokens_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(TokensError, match=said):
        Tokens.from_file(file)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TokensError, match="not a regular file"):
        Tokens.from_file(tmp_path)


def test_a_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVE_TOKEN", LONG)
    assert Tokens.from_variable("SERVE_TOKEN", "ana")(LONG) == "ana"
    with pytest.raises(TokensError, match="no variable NO_TOKEN"):
        Tokens.from_variable("NO_TOKEN", "ana")
