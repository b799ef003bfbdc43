"""Specs with random damage, and random schemas: linted, fixed and formatted without a traceback, and to the same IR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.schemas import Toolset, toolsets
from tests.unit.compiler.test_damaged_specs import damaged_data, damaged_texts, seeded
from toolgen.authoring.format.format import formatted
from toolgen.authoring.lint.fixing import fix
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.compile import compile_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.ir.text import catalog_text
from toolgen.compiler.project.config import Config, Target
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

TARGET = Target()
CONFIG = Config(Path(), (TARGET,))


@settings(seeded, max_examples=settings().max_examples)
@given(st.data(), st.integers(1, 3))
def test_damaged_specs_are_linted_and_formatted(data: st.DataObject, hits: int) -> None:
    check(damaged_data(data, hits))


@settings(seeded, max_examples=settings().max_examples)
@given(st.data(), st.integers(1, 3))
def test_damaged_texts_are_linted_and_formatted(data: st.DataObject, hits: int) -> None:
    check(damaged_texts(data, hits))


@settings(seeded, max_examples=settings().max_examples // 2)
@given(toolsets(tools=3))
def test_random_schemas_are_linted_and_formatted(toolset: Toolset) -> None:
    check({"specs/a.json": json.dumps(toolset.spec()).encode()})


@pytest.mark.long
@settings(seeded, max_examples=2000)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_more_damaged_specs_are_linted_and_formatted(data: st.DataObject, hits: int, as_text: bool) -> None:
    check(damaged_texts(data, hits) if as_text else damaged_data(data, hits))


def check(files: Mapping[str, bytes]) -> None:
    """Lint, fix and format files; those that cannot be read are left out."""
    specs = [spec for path, content in sorted(files.items()) if (spec := _spec(path, content)) is not None]
    again = [_spec(each.path, formatted(each.path, each.text, each.root).encode()) for each in specs]
    ordered = [each for each in again if each is not None]
    assert len(ordered) == len(specs)
    assert [formatted(each.path, each.text, each.root) for each in ordered] == [each.text for each in ordered]
    assert _ir(ordered) == _ir(specs)

    found = lint(CONFIG, {TARGET: specs})
    lines = {each.path: each.text.count("\n") + each.text.count("\r") + 1 for each in specs}
    assert all(1 <= each.span.line <= each.span.end_line <= lines[each.span.file] for each in found.findings)
    assert not fix(CONFIG, {TARGET: specs}).left.fixes


def _spec(path: str, content: bytes) -> SpecFile | None:
    sink = Diagnostics()
    root = parse(content, path, sink)
    if root is None or sink.has_errors:
        return None
    return SpecFile(path, content.decode("utf-8").removeprefix("\ufeff"), root)


def _ir(specs: list[SpecFile]) -> str:
    """Return the IR as text, or the codes of errors."""
    sink = Diagnostics()
    compiled = compile_files(specs, TARGET, sink)
    return " ".join(sorted(each.code for each in sink)) if sink.has_errors else catalog_text(compiled.catalog)
