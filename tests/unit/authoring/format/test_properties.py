"""Formatting of any text: the same data, the same comments, and nothing changes the second time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.unit.authoring.format.written import DATA, KEYS, Writer
from tests.unit.authoring.format.written_specs import SPECS, SpecWriter
from toolgen.authoring.format.format import formatted
from toolgen.authoring.format.update import to_yaml, updated_text
from toolgen.authoring.text import comments_of
from toolgen.authoring.tree import Value, read_tree
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.schema.json_values import canonical
from toolgen.spec.text import line_end, with_line_end

if TYPE_CHECKING:
    from toolgen.compiler.source.nodes import Node


LINE_ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


def node(text: str, path: str = "a.yaml") -> Node:
    sink = Diagnostics()
    root = parse(text, path, sink)
    assert root is not None, (text, list(sink))
    assert not sink.has_errors, (text, list(sink))
    return root


@settings(max_examples=2 * settings().max_examples)
@given(st.data(), st.dictionaries(KEYS, DATA, min_size=1, max_size=4))
def test_any_text_keeps_its_data_and_comments_and_is_stable(data: Any, value: dict[str, Any]) -> None:
    text = with_line_end(Writer(data.draw).document(value), data.draw(LINE_ENDS))
    root = node(text)
    assert canonical(root.to_data()) == canonical(value), text

    once = formatted("a.yaml", text, root)

    assert canonical(node(once).to_data()) == canonical(value)
    assert sorted(each.text for each in comments_of(once)) == sorted(each.text for each in comments_of(text))
    assert formatted("a.yaml", once, node(once)) == once
    assert with_line_end(once, line_end(text)) == once


@settings(max_examples=2 * settings().max_examples)
@given(st.data(), SPECS)
def test_keys_of_specs_in_any_order_with_their_comments_are_stable(data: Any, spec: dict[str, Any]) -> None:
    text = SpecWriter(data.draw).document(spec)

    once = formatted("a.yaml", text, node(text))

    assert formatted("a.yaml", once, node(once)) == once


def owners(text: str) -> dict[str, tuple[str, ...]]:
    """Return which entry each comment is about, by the text of the comment."""
    paths: dict[int, tuple[str, ...]] = {}

    def walk(value: Value, path: tuple[str, ...]) -> None:
        for index, entry in enumerate(value.entries):
            paths[id(entry)] = (*path, str(index) if entry.key is None else entry.key.text)
            walk(entry.value, paths[id(entry)])

    tree = read_tree(text, node(text))
    walk(tree.root, ())
    return {comment.text: paths.get(id(entry), ()) for comment, entry in tree.owners}


@settings(max_examples=2 * settings().max_examples)
@given(st.data(), st.dictionaries(KEYS, DATA, min_size=1, max_size=4))
def test_a_comment_stays_with_its_entry(data: Any, value: dict[str, Any]) -> None:
    text = Writer(data.draw).document(value)

    assert owners(formatted("a.yaml", text, node(text))) == owners(text)


NODES = [
    ("seq", "  # beside\n  - v  # v\n  # above\n  - w\n  # end\n"),
    ("seq", "  # beside\n  # above\n  - v\n  # end\n"),
    ("seq", "  # beside\n- v  # v\n# above\n- w\n"),
    ("seq", "  # beside\n  - - v  # v\n    # above\n    - w\n    # inner\n  # end\n"),
    ("map", "  # beside\n  k: v  # v\n  # above\n  l: w\n  # end\n"),
    ("seq", "\n  # above\n  [v, w]  # beside\n"),
    ("seq", " [  # opening\n    # above\n    v,  # v\n    w]# tight\n"),
    ("map", "  # beside\n  {k: v}\n"),
    ("map", " {k: v}# tight\n"),
    ("str", "  # beside\n  v\n"),
    ("str", "\n  # above\n  'v'# tight\n"),
    ("str", ' "v"# tight\n'),
    ("str", " |# tight\n    v # text\n"),
    ("str", " >-# tight\n    v\n"),
    ("str", "\n  # above\n  |2+  # beside\n    v\n\n"),
    ("null", "  # beside\n"),
]
"""Values, by their tag, below a key in the first column, with comments in every place that YAML allows."""


@pytest.mark.parametrize(("tag", "value"), NODES)
@pytest.mark.parametrize("properties", ["&x", "TAG", "&x TAG", "TAG &x", "&x\n  TAG"])
@pytest.mark.parametrize("lead", ["a:", "a:\n  b:", "a:\n- z\n-"])
def test_a_comment_is_about_the_same_entry_below_an_anchor_or_a_tag(
    tag: str, value: str, properties: str, lead: str
) -> None:
    margin = "\n" + " " * (2 * lead.count("\n") - lead.count("\n-"))
    value = value.replace("\n", margin).removesuffix(margin) + "\n"
    properties = properties.replace("TAG", f"!!{tag}").replace("\n", margin)
    plain, text = (f"{lead}{each}{value}c: 1\n" for each in ("", f" {properties}"))

    once = formatted("a.yaml", text, node(text))

    assert owners(once) == owners(text) == owners(plain)
    assert len(owners(text)) == value.replace("# text", "").count("#")
    assert formatted("a.yaml", once, node(once)) == once


TOKENS = st.sampled_from(
    [
        *("a", "b", "k", "-", "|", ">", "+", "2", "#", "[", "]", "{", "}", ",", "?", "~", "'", '"', ":", "\t", "\r"),
        *("\n", "\n  ", "  ", ": ", "- ", " # c", "&x ", "&x\n", "*x", "!!str ", "!!map ", "! ", "\u2028", "\u200b"),
        *("--- ", "\n---\n", "\n...\n", "%YAML 1.2\n", "b: c", "- d", "k:\n  - v\n", "k: |# c\n  t\n"),
    ]
)


@settings(max_examples=20 * settings().max_examples)
@given(st.lists(TOKENS, min_size=1, max_size=13).map("".join))
@example("# c\n---\n")
@example("--- &x # c\n")
@example("a: |# c\n  t\n")
@example("a: &x >2-#\n   t\n")
@example("? &x a\n  b\n: c")
@example("#\n\n&x\n  k: v")
def test_whatever_is_read_can_be_formatted(text: str) -> None:
    sink = Diagnostics()
    root = parse(text, "a.yaml", sink)
    if root is None or sink.has_errors:
        return  # mostly: it costs little

    once = formatted("a.yaml", text, root)

    assert formatted("a.yaml", once, node(once)) == once


LINES = st.lists(
    st.tuples(st.sampled_from(["  ", "    ", "", "      "]), st.text(alphabet="ab \t#:-é\u200b\u2028", max_size=6)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.sampled_from("|>"),
    st.sampled_from(["", "-", "+"]),
    st.sampled_from(["", "2", "4"]),
    LINES.map(lambda lines: [margin + line for margin, line in lines]),
    st.sampled_from(["", "b: 1\n", "  # after\n", "# after\n"]),
)
@example("|", "-", "", ["  a", "    b", "     "], "")
@example("|", "", "", ["  a", "     "], "b: 1\n")
@example("|", "", "", ["  a", "  "], "b: 1\n")
@example(">", "", "4", ["    a"], "  # after\n")
@example(">", "", "", ["  a\u2028b", "  "], "")
def test_a_block_of_text_stays_a_block(style: str, chomping: str, size: str, lines: list[str], after: str) -> None:
    text = f"toolgen: 1\na: {style}{size}{chomping}\n" + "".join(f"{line}\n" for line in lines) + after
    sink = Diagnostics()
    root = parse(text, "a.yaml", sink)
    assume(root is not None and not sink.has_errors)
    assert root is not None
    value = root.to_data().get("a")
    assume(isinstance(value, str) and value.strip() != "")

    once = formatted("a.yaml", text, root)

    assert f"\na: {'|' if style == '|' else '>'}" in once
    assert formatted("a.yaml", once, node(once)) == once


@given(st.dictionaries(KEYS, DATA | st.sampled_from(["a\n  b\n   ", "a\n \n", " a\n  "]), min_size=1, max_size=4))
def test_what_an_import_writes_is_formatted(value: dict[str, Any]) -> None:
    text = to_yaml(value)

    assert formatted("a.yaml", text, node(text)) == text


@given(
    st.data(),
    st.dictionaries(KEYS, DATA, min_size=1, max_size=4),
    st.dictionaries(KEYS, DATA, min_size=1, max_size=4),
)
def test_an_update_is_formatted_and_loses_no_comment(data: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
    after |= {key: value for key, value in before.items() if data.draw(st.booleans())}
    text = with_line_end(Writer(data.draw).document(before), data.draw(LINE_ENDS))

    updated = updated_text(SpecFile("a.yaml", text, node(text)), after)

    assert canonical(node(updated).to_data()) == canonical(after)
    assert Counter(each.text for each in comments_of(updated)) >= Counter(each.text for each in comments_of(text))
    if canonical(before) != canonical(after):  # else the text is as it was
        assert formatted("a.yaml", updated, node(updated)) == updated
        assert with_line_end(updated, line_end(text)) == updated
