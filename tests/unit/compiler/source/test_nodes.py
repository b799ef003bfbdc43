"""Nodes: values, locations, and lookup by path."""

from __future__ import annotations

import pytest

from tests.unit.compiler.source.reading import node_of, place
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode

TEXT = """\
toolgen: 1
tools:
  search:
    description: Find things.
    tags: [a, b]
    "0": zero
"""


def mapping(text: str) -> MappingNode:
    node = node_of(text)
    assert isinstance(node, MappingNode)
    return node


def test_a_mapping_has_keys_in_order_and_a_node_for_each() -> None:
    root = mapping("b: 1\na: [x]\n")

    assert root.keys() == ["b", "a"]
    assert isinstance(root.get("b"), ScalarNode)
    assert isinstance(root.get("a"), SequenceNode)
    assert root.get("c") is None
    assert [key for key, _ in root.entries()] == ["b", "a"]


def test_data_is_a_new_copy_each_time() -> None:
    root = mapping("a: {b: [1]}")
    first = root.to_data()
    first["a"]["b"].append(2)

    assert root.to_data() == {"a": {"b": [1]}}


def test_values_shared_by_aliases_are_copied() -> None:
    data = mapping("a: &x [1]\nb: *x").to_data()
    data["a"].append(2)

    assert data == {"a": [1, 2], "b": [1]}


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ([], "1:1-6:14", "1:1-6:14"),
        (["toolgen"], "1:10-1:11", "1:1-1:8"),
        (["tools", "search"], "4:5-6:14", "3:3-3:9"),
        (["tools", "search", "tags"], "5:11-5:17", "5:5-5:9"),
        (["tools", "search", "tags", 1], "5:15-5:16", "5:5-5:9"),
        (["tools", "search", "tags", "1"], "5:15-5:16", "5:5-5:9"),
        (["tools", "search", 0], "6:10-6:14", "6:5-6:8"),
    ],
)
def test_a_path_gives_the_location_of_a_value_and_of_its_key(path: list[str | int], value: str, key: str) -> None:
    root = node_of(TEXT)

    assert place(root.span_at(path)) == value
    assert place(root.span_at(path, key=True)) == key
    assert root.at(path).span == root.span_at(path)


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        (["tools", "search", "args", "x"], ["tools", "search"]),
        (["tools", "search", "tags", 2], ["tools", "search", "tags"]),
        (["tools", "search", "tags", -1], ["tools", "search", "tags"]),
        (["tools", "search", "tags", "²"], ["tools", "search", "tags"]),
        (["tools", "search", "tags", "9" * 5000], ["tools", "search", "tags"]),
        (["toolgen", 0], ["toolgen"]),
    ],
)
def test_an_unknown_path_gives_the_nearest_node(path: list[str | int], nearest: list[str | int]) -> None:
    root = node_of(TEXT)

    assert root.at(path) is root.at(nearest)
    assert root.span_at(path, key=True) == root.span_at(nearest, key=True)


def test_columns_count_characters_instead_of_bytes() -> None:
    root = mapping("é😀: {日本: x}")

    assert place(root.key_span("é😀")) == "1:1-1:3"
    assert place(root.span_at(["é😀", "日本"])) == "1:10-1:11"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(line_end: str) -> None:
    root = mapping(line_end.join(["a:", "  - x", "  - |", "    text", "b: 1"]))

    assert root.to_data() == {"a": ["x", "text\n"], "b": 1}
    assert place(root.span_at(["a", 1])) == "3:5-4:9"
    assert place(root.key_span("b")) == "5:1-5:2"


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_line_ends_of_yaml_1_1_are_plain_text(char: str) -> None:
    root = mapping(f"k{char}: x {char} y\nb: '{char}'  # {char}\nc: |\n  {char}z\n")

    assert root.to_data() == {f"k{char}": f"x {char} y", "b": char, "c": f"{char}z\n"}
    assert place(root.key_span("b")) == "2:1-2:2"


def test_a_block_ends_with_its_last_value() -> None:
    root = node_of("a:\n  b: x\n\n# comment\nc: |\n  y\n\n\nd:\n")

    assert place(root.span_at(["a"])) == "2:3-2:7"
    assert place(root.span_at(["c"])) == "5:4-6:4"
    assert place(root.span_at(["d"])) == "9:3-9:3"


def test_a_span_is_printed_in_the_format_of_editors() -> None:
    assert str(node_of("a:\n  b: x", "specs/a.yaml").span_at(["a", "b"])) == "specs/a.yaml:2:6"


def test_json_nodes_have_locations_too() -> None:
    root = node_of('{\n  "a": [1, {"b\\n": "x"}]\n}', "a.json")

    assert place(root.span_at(["a"])) == "2:8-2:25"
    assert place(root.span_at(["a", 1, "b\n"])) == "2:20-2:23"
    assert place(root.span_at(["a", 1, "b\n"], key=True)) == "2:13-2:18"
    assert place(root.span) == "1:1-3:2"
