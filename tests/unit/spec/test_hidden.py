"""Hidden characters: whatever a person would not see in a text is an escape, wherever it is shown."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.authoring.scalars import key_text
from toolgen.changes.suspicions import invisible
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode
from toolgen.compiler.source.read import parse_spec
from toolgen.runtime.policy.proposal import proposal_text
from toolgen.spec.text import is_hidden, visible, visible_json

SELECTORS = [*map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))]
UNSEEN = [*SELECTORS, *"\u034f\u115f\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\u200b\u00ad\u202e\x1b\x7f"]


@pytest.mark.parametrize("char", [SELECTORS[0], *UNSEEN[len(SELECTORS) - 1 :]], ids=ascii)
def test_a_character_that_is_not_seen_is_an_escape(char: str) -> None:
    text = f"Hello{char}"
    assert is_hidden(char)
    assert visible(text).isascii()
    assert len(visible(text)) > len(text)
    for shown in (visible_json(json.dumps({"body": text}, ensure_ascii=False)), proposal_text({"body": text})):
        assert shown.isascii()
        assert char not in shown
        assert json.loads(shown) == {"body": text}
    assert char not in key_text(text, in_flow=False)


@pytest.mark.parametrize(
    "text", ["\u26a0\ufe0f Deletes it.", "\u2764\ufe0f", "\u00a9\ufe0f 2026", "caf\u00e9", "\u3000", "\u4f60\u597d"]
)
def test_an_emoji_and_a_letter_are_seen(text: str) -> None:
    assert visible(text) == visible_json(text) == text


@pytest.mark.parametrize("text", ["y\ufe0f", "\u26a0\ufe0f\ufe0f", "\ufe0f\u26a0", "\u26a0\ufe0e"])
def test_a_selector_that_changes_nothing_is_an_escape(text: str) -> None:
    assert visible(text) != text


@given(st.text(st.one_of(st.sampled_from(UNSEEN), st.characters(exclude_categories=["Cs"]))))
def test_what_is_shown_has_no_character_that_a_person_does_not_see(text: str) -> None:
    assert invisible(visible(text)) == []
    assert {unicodedata.category(char) for char in visible(text)} & {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"} == set()
    quoted = json.dumps(text, ensure_ascii=False)
    assert json.loads(visible_json(quoted)) == text
    written = parse_spec("x.yaml", f"{key_text(text, in_flow=False)}: 1\n", Diagnostics())
    assert written is not None
    assert isinstance(written.root, MappingNode)
    assert list(written.root.keys()) == [text]
