"""Properties of any new text: it reads back equal, here and in other parsers, and hides no character."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.unit.authoring.format.test_properties import node
from tests.unit.compiler.source.reading import data_of
from tests.unit.compiler.source.values import ANY_TEXT, DATA, SPECS, same
from toolgen.authoring.format.format import formatted
from toolgen.authoring.format.update import inserted, new_text, to_yaml, updated_text
from toolgen.compiler.source.read import SpecFile
from toolgen.schema.json_values import canonical
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

quick = settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(DATA)
@example({"k": " \na"})
@example({"k": "a\n \n"})
@example({"k": ["\n\n a\n", {"b": "\t\nc"}]})
def test_written_values_read_back_equal_here_and_in_other_parsers(data: Any) -> None:
    written = to_yaml(data)

    assert same(data_of(written), data)
    assert same(yaml.safe_load(written), data)
    assert same(yaml.load(written, Loader=yaml.CSafeLoader), data)


@quick
@given(SPECS, ANY_TEXT)
def test_blank_lines_and_comments_change_nothing(data: Any, comment: str) -> None:
    assert same(data_of(to_yaml(data, comment=comment)), data)


@quick
@given(DATA)
def test_written_text_shows_every_character_or_its_escape(data: Any) -> None:
    written = to_yaml(data)

    assert all(char.isprintable() or char in "\n\t\u3000" for char in written)


UNSEEN = st.text(
    alphabet="ab\u202e\u200b\ufeff\x85\u2028\x7f\x1b\u00a0\ue000\U000e0041\ufe0f\u3000é", min_size=1, max_size=6
)


def formatted_text(path: str, data: dict[str, Any]) -> str:
    """Return data that is written with escapes, formatted; YAML has no surrogate pairs."""
    text = json.dumps(data) if path == "a.json" else to_yaml(data)
    return formatted(path, text, node(text, path))


def updated(path: str, data: dict[str, Any]) -> str:
    before = new_text(path, {"toolgen": 1}, "")
    return updated_text(SpecFile(path, before, node(before, path)), data)


def with_entry(path: str, data: dict[str, Any]) -> str:
    before = new_text(path, {"toolgen": 1, "x": {"y": 1}}, "")
    return inserted(SpecFile(path, before, node(before, path)), ("x", "z"), data)[0]


@quick
@given(st.dictionaries(UNSEEN, UNSEEN | st.lists(UNSEEN, max_size=2), min_size=1, max_size=3))
@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
@pytest.mark.parametrize(
    "write", [formatted_text, lambda path, data: new_text(path, data, ""), updated, with_entry], ids=range(4)
)
def test_no_door_to_a_spec_writes_a_character_that_nobody_sees(
    write: Callable[[str, dict[str, Any]], str], path: str, data: dict[str, Any]
) -> None:
    written = write(path, {"toolgen": 1, **data})

    assert all(visible(line) == line for line in written.split("\n"))
    found = node(written, path).to_data()
    assert canonical(found["x"]["z"] if "x" in found else found) == canonical({"toolgen": 1, **data})
