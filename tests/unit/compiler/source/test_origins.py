"""Whether a finding is about what an import wrote does not depend on how the keys of its file are written."""

from __future__ import annotations

from typing import Final

import pytest

from toolgen.compiler.diagnostics import Severity, Span
from toolgen.compiler.diagnostics.diagnostic import Diagnostic
from toolgen.compiler.source.origins import Origins

FILE: Final = "specs/a.yaml"


@pytest.mark.parametrize(
    "key", ["imported", '"imported"', "'imported'", "? imported\n    ", '"import\\x65d"', "!!str imported"]
)
@pytest.mark.parametrize("toolset", ["toolset", '"toolset"'], ids=["split", "not split"])
def test_an_imported_tool_is_known_in_each_spelling_of_its_key(toolset: str, key: str) -> None:
    text = f"toolgen: 1\n{toolset}: a\ntools:\n  own:\n    title: A\n  found:\n    title: B\n    {key}: ab12\n"
    origins = Origins({FILE: text})

    assert origins.is_imported(Diagnostic("TG001", Severity.WARNING, Span(FILE, 7, 5), "x"))
    assert not origins.is_imported(Diagnostic("TG001", Severity.WARNING, Span(FILE, 5, 5), "x"))
