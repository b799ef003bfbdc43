from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp_types import CallToolResult

from toolgen.contract.records import ContentBlock, ToolError, ToolResult
from toolgen.execute.mcp.content import result_of
from toolgen.execute.result_texts import ResultTexts
from toolgen.serve.calls import answer_of

IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png", "annotations": {"audience": ["user"]}}
LINK = {"type": "resource_link", "name": "n", "uri": "file:///n", "_meta": {"k": 1}}
TEXT = {"type": "text", "text": "t"}


def passed_on(answer: dict[str, Any], *, is_typed: bool = False) -> dict[str, Any]:
    """What another server answered, through the client executor and out again, without what says nothing."""
    texts = ResultTexts({"type": "object"} if is_typed else None, "shop.find")
    result = asyncio.run(result_of(CallToolResult.model_validate(answer), texts=texts, keep=None))
    given = answer_of(result, is_structured=is_typed)
    assert given.pop("resultType") == "complete"
    return {key: value for key, value in given.items() if value is not False}


def test_what_another_server_answered_goes_on_without_loss() -> None:
    answers: list[dict[str, Any]] = [
        {"content": [TEXT, IMAGE, LINK]},
        {"content": [IMAGE], "_meta": {"trace": "1"}},
        {"content": [TEXT, IMAGE], "structuredContent": {"a": None, "b": [1.5]}},
        {"content": [TEXT, LINK], "isError": True},
        {"content": [TEXT]},
        {"content": []},
    ]
    for answer in answers:
        assert passed_on(answer) == answer


def test_structured_content_alone_gets_its_text() -> None:
    answer = {"content": [{"type": "text", "text": '{"a": 1}'}], "structuredContent": {"a": 1}}
    text = {"type": "text", "text": '{"a":1}'}
    assert passed_on(answer, is_typed=True) == {"content": [text], "structuredContent": {"a": 1}}


def test_what_stages_add_stands_behind_what_came() -> None:
    blocks = (ContentBlock(type="text", data="[image]"), ContentBlock(type="text", data="be careful"))
    result: ToolResult[Any] = ToolResult(
        payload=json.dumps([IMAGE]).encode(), blocks=blocks, metadata={"mcp": {"content": [IMAGE]}}
    )
    assert answer_of(result, is_structured=False)["content"] == [IMAGE, {"type": "text", "text": "be careful"}]


def test_what_was_cut_because_of_its_size_is_sent_cut() -> None:
    blocks = (ContentBlock(type="text", data="begin…"), ContentBlock(type="artifact_ref", data="artifact:1"))
    metadata = {"truncated": True, "mcp": {"content": [{"type": "text", "text": "whole"}]}}
    content = answer_of(ToolResult(payload=b'"whole"', blocks=blocks, metadata=metadata), is_structured=False)[
        "content"
    ]
    assert [block["text"] for block in content] == ["begin…", "artifact:1"]


def test_a_result_that_is_cut_has_no_value_and_is_an_error_where_one_was_announced() -> None:
    blocks = (ContentBlock(type="text", data="begin…"), ContentBlock(type="artifact_ref", data="artifact:1"))
    cut: ToolResult[Any] = ToolResult(payload=b'{"a":"whole"}', blocks=blocks, metadata={"truncated": True})
    plain, structured = (answer_of(cut, is_structured=is_structured) for is_structured in (False, True))
    assert (plain["isError"], structured["isError"]) == (False, True)
    assert "structuredContent" not in plain.keys() | structured.keys()
    announced, *rest = structured["content"]
    assert announced["text"].startswith("the call succeeded")
    assert rest == plain["content"]


def test_blocks_that_are_no_text_are_json() -> None:
    result: ToolResult[Any] = ToolResult(payload=b"1", blocks=(ContentBlock(type="json", data={"a": [1]}),))
    assert answer_of(result, is_structured=True) == {
        "resultType": "complete",
        "content": [{"type": "text", "text": '{"a":[1]}'}],
        "isError": False,
        "structuredContent": 1,
    }


def test_a_failure_has_no_structured_content() -> None:
    result: ToolResult[Any] = ToolResult(error=ToolError(message="no"), blocks=(ContentBlock(type="text", data="no"),))
    answer = answer_of(result, is_structured=True)
    assert answer == {"resultType": "complete", "content": [{"type": "text", "text": "no"}], "isError": True}
