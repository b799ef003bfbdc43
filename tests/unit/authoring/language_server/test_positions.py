"""Positions: the editor and the server mean the same place, and have the same text after every edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.unit.authoring.language_server.buffer import BREAKS, NO_BREAKS, Buffer
from tests.unit.authoring.language_server.project import FILES
from toolgen.authoring.format.format import formatted
from toolgen.authoring.language_server import session
from toolgen.authoring.language_server.session import Documents, IndexedText, indexed
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from tests.unit.authoring.language_client import Client
    from tests.unit.authoring.language_server.conftest import Serve

pytestmark = pytest.mark.xdist_group("language server")  # whose tests share one server

AGENT, ORDERS = "specs/agent.yaml", "specs/shop/orders.yaml"
URI = "file:///a.yaml"
TEXTS = st.lists(st.sampled_from(["a", "b: c", "", "🦊", "é", "水", *BREAKS, *NO_BREAKS]), max_size=14).map("".join)
POSITIONS = st.builds(types.Position, st.integers(0, 8), st.integers(0, 9))


@settings(max_examples=3 * settings().max_examples)
@given(st.sampled_from(["utf-8", "utf-16", "utf-32"]), TEXTS, st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS)))
def test_the_texts_of_editor_and_server_stay_equal(
    encoding: str, text: str, edits: list[tuple[types.Position, types.Position, str]]
) -> None:
    editor = Buffer(text, encoding)
    documents = Documents(None, position_encoding=encoding)
    documents.put_text_document(types.TextDocumentItem(URI, "yaml", 1, text))
    for version, (one, other, new) in enumerate(edits, 2):
        edited = types.Range(min(one, other), max(one, other))
        editor.replace(edited, new)
        documents.update_text_document(
            types.VersionedTextDocumentIdentifier(version, URI), types.TextDocumentContentChangePartial(edited, new)
        )
        assert documents.get_text_document(URI).source == editor.text
    assert "".join(documents.get_text_document(URI).lines) == editor.text
    whole = types.TextDocumentContentChangeWholeDocument(text)
    documents.update_text_document(types.VersionedTextDocumentIdentifier(99, URI), whole)
    assert documents.get_text_document(URI).source == text


@settings(max_examples=2 * settings().max_examples)
@given(st.sampled_from(["utf-8", "utf-16", "utf-32"]), TEXTS, st.data())
def test_an_offset_and_its_position_mean_the_same_place(encoding: str, text: str, data: st.DataObject) -> None:
    editor, found = Buffer(text, encoding), IndexedText(text, encoding)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    made = found.range(start, end)
    if "\r\n" not in (text[start - 1 : start + 1], text[end - 1 : end + 1]):  # between both is no position
        assert (editor.offset(made.start), editor.offset(made.end)) == (start, end)
        assert (found.offset(made.start), found.offset(made.end)) == (start, end)
        assert found.range_of(Source("a.yaml", text).span(start, end)) == made


@pytest.mark.parametrize("character", [*BREAKS, *NO_BREAKS, "🦊"])
def test_formatting_and_findings_hit_what_they_mean(serve: Serve, character: str) -> None:
    """A buffer with a character that other programs end lines at, edited below it, formatted and fixed."""
    quoted = character if character not in BREAKS else f" {character}  "
    is_forbidden = character in "\x0b\x0c\x1c\x1d\x1e"  # in YAML, so that there is nothing to format
    text = f"toolgen: 1\nagent: clerk\ndescription: 'one{quoted}two'\nuse:\n- shop.orders.find\n- one\n- two\nrol: x\n"

    async def look(client: Client) -> None:
        editor = Buffer(text)

        def remove(line: str) -> None:
            at = editor.lines().index(line)
            removed = types.Range(types.Position(at, 0), types.Position(at + 1, 0))
            client.replace(AGENT, removed, "")
            editor.replace(removed, "")

        client.show(AGENT, text)
        remove("- one")
        (found,) = await client.diagnostics(AGENT)
        place = editor.text[editor.offset(found.range.start) : editor.offset(found.range.end)]
        assert place == (character if is_forbidden else "rol")
        remove("rol: x")
        assert editor.text.endswith("- shop.orders.find\n- two\n")

        edits = await client.formatting(AGENT)
        if is_forbidden:
            assert edits == []
            return
        root = parse(editor.text, AGENT, Diagnostics())
        assert root is not None
        expected = formatted(AGENT, editor.text, root)
        editor.apply(edits)
        assert editor.text == expected

    serve(look)


@pytest.mark.parametrize("character", [*BREAKS, "\u2028", "\u2029", "\x85"])
def test_fixes_change_only_what_they_mean(serve: Serve, character: str) -> None:
    start, rest = FILES[ORDERS].split("description: Orders of a shop.\n")
    quoted = character if character not in BREAKS else f" {character}  "
    right = f"{start}description: 'Orders{quoted}of a shop.'\n{rest}"
    editor = Buffer(right.replace("bind: Refund", "bind: Refnd"))

    async def look(client: Client) -> None:
        client.show(ORDERS, editor.text)
        await client.next_diagnostics("toolgen.toml")
        await client.next_diagnostics(ORDERS)
        everywhere = types.Range(types.Position(0, 0), types.Position(999, 0))
        actions = await client.actions(ORDERS, everywhere)
        (fix,) = [each for each in actions if each.title == "Write `Refund`"]
        assert fix.edit is not None
        assert fix.edit.changes is not None
        (edits,) = fix.edit.changes.values()
        editor.apply(list(edits))
        assert editor.text == right

    serve(look)


def test_the_lines_of_a_text_are_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One index for each range took a minute for the outline of 2,000 tools."""
    calls: list[str] = []

    def line_starts(text: str) -> list[int]:
        calls.append(text)
        return [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]

    monkeypatch.setattr(session, "line_starts", line_starts)
    text = "".join(f"{number}\n" for number in range(500))
    for number in range(500):
        found = indexed(text, "utf-16").range(2 * number % 900, 2 * number % 900 + 1)
        indexed(text, "utf-16").offset(found.start)
    assert calls == [text]
