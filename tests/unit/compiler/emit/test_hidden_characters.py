"""No file of a package has characters that a reviewer does not see: they are escapes, and their values the same."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved
from toolgen.compiler.emit import emit
from toolgen.spec.text import is_hidden

TEXT = st.text(st.sampled_from('ab"\\{} \u00a0\u200b\u202e\u2066\u2028\u3164\ufeff\U000e0041\x7f\x85\t\n'), min_size=1)


def spec(text: str) -> dict[str, Any]:
    field = {"type": "string", "description": text, "default": text, "enum": [text, "other"]}
    return {
        "toolgen": 1,
        "toolset": "a.b",
        "description": text,
        "tools": {"c": {"description": text, "args": {"type": "object", "properties": {"d": field}}}},
    }


@given(TEXT.filter(lambda text: bool(text.strip())))
@example("\u202egnp.exe")
@example("x\U000e0041")
def test_hidden_characters_are_escapes_in_every_file(text: str) -> None:
    found = resolved(json.dumps(spec(text)))
    assert not found.has_errors, found.messages
    files = emit(found.catalog, export=["openai", "anthropic"])
    for path, content in files.items():
        assert not {char for char in content if char != "\n" and is_hidden(char)}, path
    field = json.loads(files["catalog.json"])["tools"]["a.b.c"]["args"]["properties"]["d"]
    assert (field["default"], field["enum"]) == (text, [text, "other"])
