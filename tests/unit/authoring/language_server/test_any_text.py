"""Texts that are half written, or no specs at all: every request gets an answer, and the check does not raise."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.authoring.language_server.project import FILES
from toolgen.authoring.language_server import completion
from toolgen.authoring.language_server.completion import Writing, offers_at, writing_at
from toolgen.authoring.language_server.navigation import RenameRefused, hover_at, renamed, symbol_at, uses_of
from toolgen.authoring.language_server.workspace import Index, Project, idents_at

if TYPE_CHECKING:
    from pathlib import Path

SPECS = [path for path in FILES if path.startswith("specs/")]
PIECES = [
    *(
        "",
        ":",
        " ",
        "\n",
        "  ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "#",
        "|",
        ">",
        "&a",
        "*a",
        "!",
        "?",
        "\t",
        "$ref: ",
    ),
    *("\0", "\ud800", "\x1b[31m", "🦊", "types", "tools:", "{{args.x}}", "%", "---", "null", "1e999"),
    *("a" * 300, "[" * 300),
]


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str, int]:
    """Return the path of a spec, its text after a few edits, and an offset."""
    path = draw(st.sampled_from(SPECS))
    text = FILES[path]
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 5, 40])))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return path, text, draw(st.integers(0, len(text)))


@pytest.fixture(scope="module")
def opened(project: Path) -> Project:
    return Project(project)


@pytest.mark.hypothesis
@given(edited())
def test_in_a_large_file_what_surrounds_the_offset_says_what_is_written(case: tuple[str, str, int]) -> None:
    path, text, offset = case
    whole = writing_at(path, text, offset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(completion, "_LARGE", 0)
        patch.setattr(completion, "_SMALL", 0)
        near = writing_at(path, text, offset)
    if whole is not None and FILES[path] == text:
        assert near is not None
        assert _said(near) == _said(whole)
        assert len(near.root.source.text) <= len(whole.root.source.text)


def _said(writing: Writing) -> tuple[object, ...]:
    return writing.word, writing.start, writing.end, writing.value, writing.parent


def test_names_of_the_rest_of_a_large_file_are_offered(opened: Project) -> None:
    path, target = "specs/shop/orders.yaml", opened.config().targets[0]
    opened.unsaved.clear()
    opened.file(path)
    text = opened.unsaved[path] = FILES[path].replace("result: [Order]", "result: [") + "# " + "x" * completion._LARGE
    writing = writing_at(path, text, text.index("result: [\n") + len("result: ["))
    assert writing is not None
    assert len(writing.root.source.text) < len(text)
    names = {offer.text for offer in offers_at(path, writing, opened.known(target, path, writing.root))}
    assert {"Order", "Address", "string"} <= names
    opened.unsaved.clear()


@pytest.mark.hypothesis
@given(edited())
def test_every_request_gets_an_answer(opened: Project, case: tuple[str, str, int]) -> None:
    path, text, offset = case
    target = opened.config().targets[0]
    opened.unsaved.clear()
    opened.unsaved[path] = text
    opened.check_file(path, target)
    checked = opened.check(target, {})
    assert checked.found.keys() >= {*SPECS}
    assert checked == Project(opened.root, {path: text}).check(target, {})  # whatever was found out before
    index = Index.of(opened.files(target))
    hover_at(index, opened.file(path), offset)
    writing = writing_at(path, text, offset)
    if writing is not None:
        assert text[writing.start : offset] == writing.word
        assert len({offer.text for offer in offers_at(path, writing, index)}) == len(offers_at(path, writing, index))
    found = symbol_at(index, path, offset)
    if found is not None:
        assert found.place.start <= offset <= found.place.end
        uses_of(index, found.symbol)
        with suppress(RenameRefused):
            renamed(index, found.symbol, "Other")
    opened.unsaved.clear()
    tools = opened.check(target, {}).tools
    assert tools
    idents_at(text, offset, tools)
