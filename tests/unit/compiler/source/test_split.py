"""Some tools of a toolset file are read as they would be with all others, or not at all."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.limits import MAX_VALUES
from toolgen.compiler.source.nodes import MappingNode, Node, Source
from toolgen.compiler.source.read import parse_source
from toolgen.compiler.source.split import split_tools

PATH: Final = "specs/a.yaml"
HEAD: Final = "# A server.\ntoolgen: 1\ntoolset: mcp.a\nkind: mcp\n\ntools:\n"
TOOLS: Final = (
    "  find:\n    description: Finds it.\n    args: {name: string}\n",
    '  "quoted":\n    description: Has a quoted key.\n',
    "  short: {description: All on one line.}\n",
    "  noted:\n    # In a comment:\n    description: |\n      Of several lines,\n    # which is one more comment\n\n",
    "  folded:\n    description: >-\n      One:\n\n        two\n",
    "  open: 'a text\n",
    "  closes: it'\n",
    "  bracket: {a: 1,\n  b: 2}\n",
    "  anchor: &a {x: 1}\n",
    "  alias: *a\n",
    "  find:\n    description: Has the same key.\n",
    "  plain: a text\n    that goes on\n",
    "  ? complex\n  : 1\n",
    "  - item\n",
    " less: 1\n",
    "   more: 1\n",
    "other: 1\n",
    "tools:\n  x: {}\n",
    "...\n",
    "--- \n",
    "# A comment\n",
    "  # Another one\n",
    "\n",
    "\t\n",
    "  tab:\t1\n",
    "  break: a\x85b\u2028c\n",
    "  tagged: !!str 1\n",
)
TAILS: Final = ("", "imported:\n  find: ab12\n", "imported: {}\n", "imported:\n  find: ab12\ntags: {}\n", "imported:\n")


def nodes_of(node: Node) -> Any:
    """Return values with their places, and those of keys."""
    if isinstance(node, MappingNode):
        return node.span, [(key, node.key_span(key), nodes_of(child)) for key, child in node.entries()]
    return node.span, node.to_data()


def read(source: Source) -> Node | None:
    sink = Diagnostics()
    spec = parse_source(source, sink)
    return None if spec is None or sink else spec.root


def has_tools(root: Node | None, keys: list[str]) -> bool:
    tools = root.child("tools") if root else None
    return isinstance(tools, MappingNode) and tools.keys() == keys


SECTIONS: Final = (
    *("toolgen: 1\n", "toolset: a\n", '"methods": {}\n', "'methods': {}\n", "methods : {}\n", "methods:\t{}\n"),
    *("methods: {}\n", "methods:\n  Find: {}\n", "? methods\n: {}\n", "?\n  methods\n: {}\n", '"m\\x65thods": {}\n'),
    *("!!str methods: {}\n", "! methods: {}\n", "&a methods: {}\n", "*a : {}\n", "- methods: {}\n", " methods: {}\n"),
    *('description: "a\nmethods: b"\n', "description: 'a\n  methods: b'\n", "description: |\n  methods: b\n"),
    *("types: {a: {\nmethods: {}}}\n", "types:\n", "{toolset: a, methods: {},\n", "}\n", "---\n", "--- # A file\n"),
    *(
        "--- {methods: {}}\n",
        "...\n",
        "%YAML 1.2\n",
        "\ufeffmethods: {}\n",
        "x: a\x85methods: {}\n",
        "x: a\u2028methods: {}\n",
    ),
    *("# methods: {}\n", "\n", "\tmethods: {}\n", "methods\n: {}\n", "x: >-\n\n\nmethods: {}\n", "x:\n- methods: {}\n"),
)


@given(st.lists(st.sampled_from(SECTIONS), max_size=5))
def test_the_keys_of_a_head_are_all_that_the_file_has_in_any_spelling(sections: list[str]) -> None:
    for head in ("".join(sections), *SECTIONS):
        split = split_tools(PATH, f"{head}tools:\n{TOOLS[0]}")
        found = read(split.only(["find"])) if split else None
        if split and isinstance(found, MappingNode) and has_tools(found, ["find"]):
            assert split.head_keys.issuperset(found.keys())


@pytest.mark.parametrize("head", ["toolset: a\nmethods: {}\n", "---\ntoolset: a\nmethods:\n  Find: {}\n"])
def test_a_file_with_plain_keys_is_split(head: str) -> None:
    split = split_tools(PATH, f"{head}tools:\n{TOOLS[0]}")

    assert split is not None
    assert split.head_keys == {"toolset", "methods", "tools"}


@given(st.lists(st.sampled_from(TOOLS), max_size=6), st.sampled_from(TAILS), st.data())
def test_tools_that_are_read_alone_are_as_in_the_whole_file(tools: list[str], tail: str, data: st.DataObject) -> None:
    text = "".join((HEAD, *tools, tail))
    split = split_tools(PATH, text)
    if split is None:
        return
    whole = read(Source(PATH, text))
    parts = [split.head, *split.tools.values(), split.tail]
    keys = data.draw(st.lists(st.sampled_from([*split.tools]), unique=True))
    with_tail = data.draw(st.booleans())
    part = read(split.only(keys, with_tail=with_tail))

    assert "".join(each.text for each in parts) == text
    if not all(has_tools(read(split.only([key])), [key]) for key in split.tools) or not read(
        split.only((), with_tail=True)
    ):
        return
    assert whole is not None
    assert part is not None
    assert has_tools(whole, [*split.tools])
    for key in keys:
        assert nodes_of(part.at(("tools", key))) == nodes_of(whole.at(("tools", key)))
    for key in ("toolset", *(["imported"] if with_tail and tail else [])):
        assert nodes_of(part.at((key,))) == nodes_of(whole.at((key,)))


def test_a_file_of_many_tools_is_split_at_their_keys() -> None:
    split = split_tools(PATH, "".join((HEAD, TOOLS[0], TOOLS[2], TOOLS[3], TAILS[1])))

    assert split is not None
    assert [(key, lines.first, lines.end) for key, lines in split.tools.items()] == [
        ("find", 7, 10),
        ("short", 10, 11),
        ("noted", 11, 17),
    ]
    assert (split.head.end, split.tail.first, split.tail.end) == (7, 17, 19)


@pytest.mark.parametrize(
    "text",
    [
        "toolgen: 1\npolicy: a\n",
        "toolgen: 1\ntools:\n",
        "toolgen: 1\ntools:\nother: 1\n",
        "toolgen: 1\ntools: {}\n",
        f"{HEAD}{TOOLS[0]}".replace("\n", "\r\n"),
        f"{HEAD}{TOOLS[0]}{TOOLS[0]}",
        f"{HEAD}{TOOLS[0]}  at: &x 1\n",
        f'{HEAD}{TOOLS[0]}  at: {{"x":&x 1}}\n',
        f"{HEAD}{TOOLS[0]}tags: {{}}\n",
        f"{HEAD}{TOOLS[0]}{TAILS[3]}",
    ],
    ids=[
        *("no tools", "none", "another key", "in one line", "other line ends", "twice", "an anchor"),
        *("one behind a quoted key", "keys behind", "keys behind the tail"),
    ],
)
def test_a_file_in_another_form_is_not_split(text: str) -> None:
    assert split_tools(PATH, text) is None


@pytest.mark.parametrize(
    ("begin", "part", "times", "end"),
    [("[", "1,", MAX_VALUES, "]"), ("", "long", 25 * MAX_VALUES, "")],
    ids=["too many values", "too long texts"],
)
def test_a_file_with_too_much_is_not_split(begin: str, part: str, times: int, end: str) -> None:
    assert split_tools(PATH, f"{HEAD}{TOOLS[0]}  last: {begin}{part * times}{end}\n") is None


def test_json_is_not_split() -> None:
    assert split_tools("specs/a.json", f"{HEAD}{TOOLS[0]}") is None


def test_an_ampersand_in_a_text_is_no_anchor() -> None:
    assert split_tools(PATH, f"{HEAD}  find: {{description: Terms & conditions of R&D}}\n") is not None


def test_an_excerpt_has_no_offsets_of_the_file() -> None:
    split = split_tools(PATH, f"{HEAD}{TOOLS[0]}{TOOLS[2]}")
    assert split is not None
    source = split.only(["short"])

    with pytest.raises(TypeError, match=re.escape("specs/a.yaml:10")):
        source.offsets(source.span(source.text.index("short"), len(source.text)))
