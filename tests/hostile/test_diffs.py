"""Hostile text in every position of a spec: a diff reports it in every format, as text that controls nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.building import compiled, spec_texts
from tests.hostile.positions import POSITIONS
from tests.hostile.texts import TEXTS
from tests.later import later
from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.report import render_github, render_markdown, render_text, to_json, to_sarif
from toolgen.authoring.diff.sides import Side, package_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.hostile.building import Compiled

EVERY = list(TEXTS.values())


@pytest.mark.parametrize("step", [5, *later([1, 7, 11, 13])])
@pytest.mark.long
def test_hostile_text_is_reported_as_text(step: int) -> None:
    texts = {name: EVERY[number * step % len(EVERY)] for number, name in enumerate(POSITIONS)}
    hostile = accepted(dict(texts.items()))
    plain = {name: POSITIONS[name].plain(number, text) for number, (name, text) in enumerate(hostile.items())}
    for before, after in ((plain, hostile), (hostile, plain)):
        report = compare_sides(side(before), side(after))
        assert len(report.changes) > len(plain) // 4
        for text in (render_text(report, color=False), render_github(report), render_markdown(report)):
            assert text.replace("\n", "").replace("\u3000", " ").isprintable()
        assert len(render_github(report).splitlines()) == len(report.changes) + 1
        for record in (to_json(report), to_sarif(report)):
            json.dumps(record).encode()
    assert compare_sides(side(hostile), side(hostile)).changes == ()


def accepted(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts by position that compile there."""
    kept = dict(texts)
    while errors := together(kept).errors:
        for number in {int(re.split(r"\D+", error.span.file)[1]) for error in errors}:
            kept.pop(list(POSITIONS)[number], None)
    return kept


def files(texts: Mapping[str, str]) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(POSITIONS)}
    return {
        path: file
        for name, text in texts.items()
        for path, file in POSITIONS[name].files(f"own{numbers[name]}", text).items()
    }


def together(texts: Mapping[str, str]) -> Compiled:
    return compiled(files(texts))


def side(texts: Mapping[str, str]) -> Side:
    sources = spec_texts(files(texts))
    return Side("one", {"generated": package_of(together(texts).catalog, sources)}, sources=sources)
