"""Responses that were cut off: no presentation runs any of it, and the model is told."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.llm.presentations.shop import Visit
from tests.unit.runtime.responses import RESPONSES
from toolgen.runtime.policy.permission import allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

TOLD = "nothing was called: your answer was cut off at the token limit before its calls were complete"


def cut(text: str, *calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    response = RESPONSES["openai"](text, calls)
    return {"choices": [{**response["choices"][0], "finish_reason": "length"}]}


@pytest.mark.parametrize(
    ("presentation", "response"),
    [
        ("enumerate-all", cut("", ("c", "shop__open_safe", {}))),
        ("universal-category", cut("", ("c", "invoke_action", {"action_name": "shop__open_safe"}))),
        ("retrieval", cut("", ("c", "search_tools", {"query": "safe"}))),
        ("codeact", cut("```python\nshop__open_safe()\n```\nand then")),
        (None, cut("NOTE: fact tea is out\nand then")),
    ],
)
def test_nothing_of_a_response_that_was_cut_off_is_run(
    shop_catalog: Callable[[], Catalog], presentation: Any, response: dict[str, Any]
) -> None:
    visit = Visit(shop_catalog(), presentation or "enumerate-all", allow_all)
    tagged = visit.tool_use.tagged(visit.runtime, visit.run)
    conversation = visit.conversation("openai") if presentation else tagged
    whole = {"choices": [{**response["choices"][0], "finish_reason": "stop"}]}
    assert not asyncio.run(conversation.take(whole)).is_final  # it would be run if it were complete
    calls, trace = list(visit.shop.calls), asyncio.run(visit.trace())
    turn = asyncio.run(conversation.take(response))
    assert (visit.shop.calls, asyncio.run(visit.trace())) == (calls, trace)
    assert not turn.is_final
    assert TOLD in json.dumps(turn.messages[1:])


@pytest.mark.parametrize("presentation", ["enumerate-all", "codeact"])
def test_a_text_that_was_cut_off_is_final(shop_catalog: Callable[[], Catalog], presentation: Any) -> None:
    visit = Visit(shop_catalog(), presentation, allow_all)
    turn = asyncio.run(visit.conversation("openai").take(cut("Once upon")))
    assert (turn.is_final, turn.text, turn.incomplete) == (True, "Once upon", "token_limit")
