"""TOML: the same values as `tomllib` reads, and no text costs more than its length."""

from __future__ import annotations

import re
import time
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.project.checkout import ROOT
from toolgen.spec.toml_text import read_toml

PIECES = st.sampled_from(
    [
        *(
            "a",
            "b.c",
            "1.5",
            ".",
            ",",
            "=",
            " = 1",
            "\n",
            "\n",
            " ",
            "#",
            "'",
            '"',
            "\\",
            "{",
            "}",
            "[",
            "]",
            "[[",
            "]]",
        ),
        *("'' = ''", '"x.y"', '"""', "'''", "'''a.b'''", '"""a\n."""', "\r\n", "\t", "é", "\n[t]\n", "\nk = "),
        *("\n'k'.k = ", "k = 1\n", "k = 'a'\n", "[[", "]]"),
    ]
)


@settings(max_examples=20 * settings().max_examples)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_tomllib_reads_is_read(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(tomllib.TOMLDecodeError):
            read_toml(text)
    else:
        assert read_toml(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a = [" + "1.5, " * 1_000 + "]",
        'a = "' + "a." * 1_000 + '"',
        "a = '" + "a." * 1_000 + "'",
        'a = """' + "\na." * 1_000 + '"""',
        "a = '''" + "a." * 1_000 + "'''",
        "a = 1  # " + "a." * 1_000,
        "a." * 49 + "a = 1",
        '"' + "a." * 1_000 + '".b = 1',
        "[" + "a." * 49 + "a]",
    ],
)
def test_dots_that_divide_no_key_are_not_counted(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


def test_toml_is_read_in_no_other_place() -> None:
    modules = [path for path in (ROOT / "toolgen").rglob("*.py") if re.search(r"tomllib\.loads?\(", path.read_text())]
    assert modules == [ROOT / "toolgen" / "spec" / "toml_text.py"]


LONG = 20_000


@pytest.mark.parametrize("part", ["a", "'a'", '"a.\\" "', "a "])
@pytest.mark.parametrize(
    "form",
    ["KEY = 1", "[KEY]", "[[KEY]]", "a = {KEY = 1}", "[t]\nx = '''\n'''\nKEY = 1", 'a = ["""b""""", {KEY = 1}]'],
)
def test_a_key_of_many_parts_is_refused_with_its_place(part: str, form: str) -> None:
    text = form.replace("KEY", ".".join([part] * LONG))
    line = text.count("\n") + 1
    column = form.split("\n")[-1].index("KEY") + 1
    begun = time.process_time()
    with pytest.raises(tomllib.TOMLDecodeError, match=rf"more than 50 parts.*line {line}, column {column}\)"):
        read_toml(text)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    "piece", ['"""', "'''", '"', "'", "\\", '\\"""', "a.", "a.\n", "'a'.", "#", '"\\', '"" ', "{", "[", "a=", '"""\\']
)
@pytest.mark.parametrize("start", ["=", "a = ["])
def test_no_text_takes_longer_than_its_length(piece: str, start: str) -> None:
    begun = time.process_time()
    with pytest.raises((tomllib.TOMLDecodeError, RecursionError)):
        read_toml(start + piece * 100_000)
    assert time.process_time() - begun < 5
