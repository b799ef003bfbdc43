"""Properties of any text: nothing raises, nothing is lost, and other parsers agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.unit.compiler.source.reading import data_of
from tests.unit.compiler.source.values import DATA, TEXT, same
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode, Source
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.source.nodes import Node

PATHS = st.sampled_from(["a.yaml", "a.json"])
WORDS = ["a", "b", "key", "1", "-1.5e3", "0x1f", "1e999", ".inf", "NaN", "true", "null", "no", "~", "<<", "---"]
MARKS = ["{{", "}}", "''", "|-", "|2", *"-,[]{}#'\"|>*%@`\\"]
SPACES = [" ", "  ", "\n", "\n  ", "\n    ", "\r\n", "\t", "\n---\n", "\n...\n"]
SPACED = [":", ": ", "- ", "? ", " # c", "&a ", "*a "]
TAGGED = ["!!str ", "!!int ", "!!map ", "!x ", "! ", "!<", "%YAML 1.2\n"]
ESCAPES = ["\\n", "\\x4", "\\ud83d", "\\ude00", "\\u0041", "\\U0001f600"]
ODD_CHARACTERS = list("é😀\x00\x1b\x7f\x85\u2028\ufeff\ue000\u202e\ud800")
DEEP = ["[" * 210, "{a: " * 210]
PIECES = st.sampled_from([*WORDS, *MARKS, *SPACES, *SPACED, *TAGGED, *ESCAPES, *ODD_CHARACTERS, *DEEP])
ODD = st.lists(PIECES, max_size=25).map("".join)
OLD_BREAKS = frozenset("\x85\u2028\u2029")

quick = settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
thorough = settings(quick, max_examples=5 * settings().max_examples)


@thorough
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60), ODD, TEXT), PATHS)
@example('a: "\\', "a.yaml")
@example("&a : *a", "a.yaml")
@example("\u2028: \ue000", "a.yaml")
def test_any_text_is_read_or_refused_with_a_diagnostic(text: str | bytes, path: str) -> None:
    sink = Diagnostics()
    node = parse(text, path, sink)

    assert node is not None or sink.has_errors
    decoded = text if isinstance(text, str) else text.decode("utf-8", "replace")
    for found in sink:
        assert lies_in(found.span, decoded)
        assert all(lies_in(related.span, decoded) for related in found.related)
    for span in () if node is None else spans(node):
        assert lies_in(span, decoded)


def lies_in(span: Span, text: str) -> bool:
    """Return whether a span starts before it ends, within a text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    return (1, 1) <= start <= end and all(
        line <= len(lines) and column <= len(lines[line - 1]) + 2 for line, column in (start, end)
    )


def spans(node: Node) -> Iterator[Span]:
    yield node.span
    match node:
        case MappingNode():
            for key, inner in node.entries():
                yield node.key_span(key)
                yield from spans(inner)
        case SequenceNode(items=items):
            for inner in items:
                yield from spans(inner)
        case _:
            assert isinstance(node, ScalarNode)


@quick
@given(DATA)
def test_json_reads_as_the_standard_library_reads_it(data: Any) -> None:
    for text in (
        json.dumps(data),
        json.dumps(data, ensure_ascii=False, indent=1),
        json.dumps(data, separators=(",", ":")),
    ):
        assert same(data_of(text, "a.json"), json.loads(text))


@quick
@given(ODD.filter(lambda text: "\ud800" not in text), st.booleans())
def test_json_is_accepted_if_the_standard_library_accepts_it(text: str, quoted: bool) -> None:
    text = f'["{text}"]' if quoted else text
    sink = Diagnostics()
    parse(text, "a.json", sink)
    if sink.has_errors:
        assert {found.code for found in sink} - {"TG003"} or not is_json(text)
    else:
        assert is_json(text)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@quick
@given(DATA, st.sampled_from(["'", '"', "|", ">"]), st.booleans(), st.booleans())
def test_output_of_other_writers_is_read_equal(data: Any, style: str, unicode: bool, flow: bool) -> None:
    # Without a style PyYAML leaves text plain that is a number only in YAML 1.2 (`1e5`), and ends lines at LS and PS.
    assume(OLD_BREAKS.isdisjoint(json.dumps(data, ensure_ascii=False)))
    written = yaml.safe_dump(data, default_style=style, allow_unicode=unicode, default_flow_style=flow, sort_keys=False)

    assert same(data_of(written), data)


@quick
@given(ODD.map(lambda text: text.removeprefix("\ufeff")))
def test_the_structure_equals_that_of_pyyaml(text: str) -> None:
    sink = Diagnostics()
    node = parse(text, "a.yaml", sink)
    if sink.has_errors or node is None or not OLD_BREAKS.isdisjoint(text):
        return
    composed = yaml.compose(text, Loader=yaml.CBaseLoader)
    assert composed is not None
    assert shape(node) == composed_shape(composed, text)


def shape(node: Node) -> Any:
    """Return the structure of a node, with its locations and the text of keys."""
    match node:
        case MappingNode():
            return [(key, *corner(node.key_span(key)), shape(inner)) for key, inner in node.entries()]
        case SequenceNode(items=items):
            return [shape(inner) for inner in items]
        case _:
            return corner(node.span)


def composed_shape(node: yaml.Node, text: str) -> Any:
    match node:
        case yaml.MappingNode():
            return [(key.value, *mark(key, text), composed_shape(value, text)) for key, value in node.value]
        case yaml.SequenceNode():
            return [composed_shape(item, text) for item in node.value]
        case _:
            return mark(node, text)


def corner(span: Span) -> tuple[int, int]:
    return span.line, span.column


def mark(node: yaml.Node, text: str) -> tuple[int, int]:
    assert node.start_mark is not None
    return corner(Source("", text).span(node.start_mark.index, node.start_mark.index))
