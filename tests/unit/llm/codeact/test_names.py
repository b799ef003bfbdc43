"""Names in code: those that Python's own parser finds, in time in proportion to the code, whatever it is."""

from __future__ import annotations

import ast
import keyword
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.work import assert_linear
from toolgen.llm.codeact.names import names_in, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = st.sampled_from(["a", "b", "rb", "f", "u", "e1", "result", "größe", "_x", "total"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from([
        "...", "1.", "5.e3", ".5", "1_000", "0xE", "0b11", "0o17", "2j", "1..real", "1.0.imag", "''", '""', "'#'",
        '"\\""', "'it\\'s result'", '"""a "b" \\""" # c"""', "'''\nresult = 1\n'''", "rb'\\''", "U'b'", "Rb'\\\\'",
        "b'a'", "'a' \"b\"", "'\\\n'", "f'{{result}}'", "f''", "(lambda q: q)", "[...  ]",
        "{'a': 1., 'b': .5}", "[a for a in b]",
    ]),
)  # fmt: skip
FIELDS = st.sampled_from(["", "!r", ":>5", "=", "!s:^{b}", ":{a}.{b}f", ":%Y-%m"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    plain = inner.filter(lambda text: not {"'", '"', "\\", "#", "\n", ":"} & set(text) and not text.startswith("{"))
    return st.one_of(
        st.builds("{}+{}".format, inner, inner),
        st.builds("{} if {} else {}".format, inner, inner, inner),
        st.builds("({})".format, inner),
        st.builds("({}  # result\n)".format, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{{}: {}}}".format, inner, inner),
        st.builds("a[{}:{}]".format, inner, inner),
        st.builds("f(e1={}, *b)".format, inner),
        st.builds("({}).total".format, inner),
        st.builds("({}\n  . # c\n result)".format, inner),
        st.builds("a.\\\n b.total({})".format, inner),
        st.builds("f'x{{{}{}}}y'".format, plain, FIELDS),
        st.builds('rF"""{{ ({}){}}} "\n\'{{{{ b }}}}"""'.format, plain, FIELDS),
    )


LINES = st.builds(
    "{}{} = {}{}".format,
    st.sampled_from(
        ["", "def todo(): ...\n", "@b\ndef e1(u=1.): ...\n", "if a: ...\n", "x: int\n", "import json as f\n"]
    ),
    NAMES,
    st.recursive(ATOMS, _larger, max_leaves=6),
    st.sampled_from(["", "  # result", "  # it's", " ;a\n", "\n\n'''\nresult\n'''"]),
)


def _parsed(code: str) -> tuple[set[str], set[str]]:
    """Return the variables of code, and all other names that may stand in it."""
    nodes = [*ast.walk(ast.parse(code))]
    bound = {each.id for each in nodes if isinstance(each, ast.Name)}
    bound |= {each.name for each in nodes if isinstance(each, ast.FunctionDef)}
    bound |= {each.asname for each in nodes if isinstance(each, ast.alias) and each.asname}
    others = {each.arg for each in nodes if isinstance(each, ast.arg | ast.keyword) and each.arg} | {"json"}
    return bound, others


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=4).map("\n".join))
def test_the_names_of_variables_are_those_that_the_parser_finds(code: str) -> None:
    bound, others = _parsed(code)
    found = set(words_of(code))
    assert bound - found == set()
    assert found - bound <= others


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('y = f"{d["it\'s"]}"\nresult = y', ["y", "d", "result"]),
        ('y = f"{f"{f"{a!r}"}"}{b:{f"{c}"}}"\nresult = 1', ["y", "a", "b", "c", "result"]),
        ('y = f"{a # it\'s\n}"\nresult = 1', ["y", "a", "result"]),
        ("y = f'{'\\n'.join(a)}'\nresult = 1", ["y", "a", "result"]),
        ("y = t'{a}'\nresult = 1", ["y", "a", "result"]),
    ],
)
def test_names_are_found_after_what_older_versions_of_python_cannot_read(code: str, words: list[str]) -> None:
    assert words_of(code) == words


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("abf.\"'#\\\n{}[]():!= 1é"), max_size=40))
def test_any_text_has_names_that_stand_in_it(code: str) -> None:
    assert set(words_of(code)) <= {code[start:end] for start in range(len(code)) for end in range(start, len(code) + 1)}
    assert not any(map(keyword.iskeyword, words_of(code)))


@pytest.mark.parametrize("end", ["", "\\", "'", '"', "x", "{"])
@pytest.mark.parametrize(
    "part",
    ["\\'", "\\", "'", '"', "'''a", 'f"', 'f"{', "f'{a:{", "{", "}", "(", ".", "a", "1", "_", "1.", "#", "\n", " "],
)
@pytest.mark.variants(30)
def test_names_are_found_in_time_in_proportion_to_code(part: str, end: str) -> None:
    def work(read: Callable[[str], object], size: int) -> Callable[[], object]:
        return partial(read, part * (size // len(part)) + end)

    for read in (words_of, names_in):
        assert_linear(partial(work, read), 50_000)
