"""Formatting of any text: the same data, the same comments, and nothing changes the second time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.authoring.format.written import DATA, KEYS, Writer
from toolgen.authoring.format.format import formatted
from toolgen.authoring.text.comments import comments_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.compiler.source.nodes import Node


def node(text: str, path: str = "a.yaml") -> Node:
    sink = Diagnostics()
    root = parse(text, path, sink)
    assert root is not None, (text, list(sink))
    assert not sink.has_errors, (text, list(sink))
    return root


@settings(max_examples=150)
@given(st.data(), st.dictionaries(KEYS, DATA, min_size=1, max_size=4))
def test_any_text_keeps_its_data_and_comments_and_is_stable(data: Any, value: dict[str, Any]) -> None:
    text = Writer(data.draw).document(value)
    root = node(text)
    assert canonical(root.to_data()) == canonical(value), text

    once = formatted("a.yaml", text, root)

    assert canonical(node(once).to_data()) == canonical(value)
    assert sorted(each.text for each in comments_of(once)) == sorted(each.text for each in comments_of(text))
    assert formatted("a.yaml", once, node(once)) == once
