"""A provider with its own format of names and call ids needs one file and one row of the table."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.llm import ToolUse
from toolgen.providers.apis.openai_chat import PLAIN
from toolgen.providers.spellings import SpelledTool, ToolNames
from toolgen.providers.table import PROVIDERS, provider, provider_tool_name
from toolgen.runtime import Catalog, Runtime, allow_all
from toolgen.spec.wire_names import STRICT, Grammar, fits, wire_call_id, wire_name

GRAMMAR = Grammar(re.compile(r"[a-zA-Z0-9_]+"), 64, call_id_length=9)
"""Names without `-`, and ids of nine letters and digits."""


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of the provider, and its row."""
    file = ModuleType("toolgen.providers.apis.nine_letters")
    file.PLAIN = replace(PLAIN, name="nine-letters", grammar=GRAMMAR)  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, file.__name__, file)
    monkeypatch.setitem(PROVIDERS, "nine-letters", ("nine_letters", "PLAIN"))
    return "nine-letters"


def response(call_id: str, name: str) -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"n":1}'}}
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}


def test_a_conversation_uses_its_names_and_ids(row: str) -> None:
    catalog, seen = Catalog(), list[int]()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    catalog.tool("shop.get-price", description="A price.", input_schema=schema)(lambda args: seen.append(args["n"]))
    runtime = Runtime(catalog, permission=allow_all)
    conversation = ToolUse(catalog).conversation("chat", runtime, runtime.start_run(), row)
    (tool,) = conversation.request()["tools"]
    name = tool["function"]["name"]
    assert re.fullmatch(r"shop__get_price___[0-9a-f]{10}", name)

    turn = asyncio.run(conversation.take(response("call_of_another_length", name)))
    assert seen == [1]
    assert turn.results[0].tool_call_id == "call_of_another_length"
    own, answer = turn.messages
    assert own["tool_calls"][0]["id"] == answer["tool_call_id"]
    assert re.fullmatch(r"[a-zA-Z0-9]{9}", answer["tool_call_id"])
    turn = asyncio.run(conversation.take(response("D681PevKs", name)))
    assert [message.get("tool_call_id") for message in turn.messages] == [None, "D681PevKs"]


def test_a_name_set_by_a_spec_is_kept_if_valid(row: str) -> None:
    made = provider(row)
    assert provider_tool_name("shop.get", "buy_it", made) == "buy_it"
    assert provider_tool_name("shop.get", "buy-it", made) == "shop__get"


@pytest.mark.slow
def test_rules_may_use_the_names_of_every_provider(row: str) -> None:
    tool = SpelledTool("shop.get-price", wire_name("shop.get-price"))
    names = ToolNames([tool.ident], ["shop"], lambda: [tool], list)
    for each in PROVIDERS:
        assert names.ident(provider_tool_name(tool.ident, tool.wire_name, provider(each))) == tool.ident, each


def test_a_name_of_gemini_begins_with_a_letter_or_an_underscore() -> None:
    gemini = provider("gemini")
    assert re.fullmatch(r"_1st__get2___[0-9a-f]{10}", provider_tool_name("1st.get2", "1st__get2", gemini))
    assert re.fullmatch(r"_-x__get___[0-9a-f]{10}", provider_tool_name("-x.get", "-x__get", gemini))
    assert provider_tool_name("shop.get", "2nd", gemini) == "shop__get"  # set by a spec
    assert provider_tool_name("shop.get", "get-2", gemini) == "get-2"
    for ident in ("shop.get_2", "shop.2nd", "shop.a_", "x" * 80):
        assert wire_name(ident, gemini.grammar) == wire_name(ident)


@given(st.text(min_size=1, max_size=80))
def test_every_name_of_every_provider_is_valid(ident: str) -> None:
    for name in PROVIDERS:
        grammar = provider(name).grammar
        assert fits(wire_name(ident, grammar), grammar)


@given(st.text(min_size=1, max_size=80), st.text(max_size=40))
def test_every_name_and_id_is_valid(ident: str, call_id: str) -> None:
    assert fits(wire_name(ident, GRAMMAR), GRAMMAR)
    assert re.fullmatch(r"[a-zA-Z0-9]{9}", wire_call_id(call_id, GRAMMAR))
    assert wire_call_id(wire_call_id(call_id, GRAMMAR), GRAMMAR) == wire_call_id(call_id, GRAMMAR)
    assert wire_call_id(call_id, STRICT) == call_id
    assert json.dumps(wire_name(ident))
