"""Strategies for texts and JSON values that are hard to write as YAML, and their comparison."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

AMBIGUOUS = ["", "no", "1", "1.0", "1e3", "0o7", "12:30", "2024-01-01", "~", "=", "<<", "- ", "a: b", "name?", " x"]
LETTERS = "ab \n\t\r'\"\\#:-?{}[],&*!|>%@`\0\x1b\x7f\x85\xa0\u2028\u202e\u200b\ufeff\ue000日😀\u0301\u3000"
LINES = ["a", " ", "  ", "\n", "\t", "- ", "# ", "---", "..."]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TEXT = st.one_of(
    ANY_TEXT,
    st.text(st.sampled_from(LETTERS)),
    st.lists(st.sampled_from(LINES), max_size=12).map("".join),
    st.sampled_from(AMBIGUOUS),
)
SCALARS = st.one_of(TEXT, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5), max_leaves=25
)
SPECS = st.dictionaries(
    st.sampled_from(["tools", "types"]) | TEXT, DATA | st.dictionaries(TEXT, DATA, max_size=3), max_size=4
)


def same(first: Any, second: Any) -> bool:
    """Return whether two values are equal, including types and the order of keys."""
    return json.dumps(first) == json.dumps(second)
