"""Properties of any new text: it reads back equal, here and in other parsers, and hides no character."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings

from tests.unit.compiler.source.reading import data_of
from tests.unit.compiler.source.values import ANY_TEXT, DATA, SPECS, same
from toolgen.authoring.format.update import to_yaml

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
